// Package contrast judges a comparison: whether the second of two sides is worse than the first, by the launches in
// which both were measured in turn.
//
// The launch is the unit. Of each figure the logarithms of its ratios are put to the one-sample trimmed t test of Tukey
// and McLaughlin (Less Vulnerable Confidence and Significance Procedures for Location Based on a Single Sample:
// Trimming/Winsorization 1, Sankhyā A 25, 1963), with a sign-flip test beside it, and all figures together are held
// to one chance of a false alarm (Holm), over all looks. All of it is a pure function of the document.
package contrast
