package fanout

// nth is the k-th smallest of a list, from 0, which it puts into another order.
func nth(list []int64, k int) int64 {
	low, high := 0, len(list)-1
	for low < high {
		pivot := middle(list[low], list[low+(high-low)/2], list[high])
		i, j := low, high
		for i <= j {
			for list[i] < pivot {
				i++
			}
			for list[j] > pivot {
				j--
			}
			if i <= j {
				list[i], list[j] = list[j], list[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case k <= j:
			high = j
		case k >= i:
			low = i
		default:
			return list[k]
		}
	}
	return list[k]
}

// middle is the second smallest of three.
func middle(a, b, c int64) int64 { return max(min(a, b), min(max(a, b), c)) }
