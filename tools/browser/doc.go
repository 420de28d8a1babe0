// Package browser has tests of the pages that plimsoll writes, in a real browser: Debian's Chromium, driven by
// chromedp, with axe-core as the judge of whether everybody can use them. It is a module of its own, for what only
// these tests need. Without a browser they are skipped, and say so.
package browser
