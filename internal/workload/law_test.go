package workload

import (
	"reflect"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine/op"
)

// TestAWorkloadCannotSayWhen is the law that only the engine stamps time: nothing that a
// workload may call or fill in takes a time.
func TestAWorkloadCannotSayWhen(t *testing.T) {
	times := map[reflect.Type]bool{
		reflect.TypeFor[time.Time]():     true,
		reflect.TypeFor[time.Duration](): true,
		reflect.TypeFor[int64]():         true, // a stamp
		reflect.TypeFor[uint64]():        true,
		reflect.TypeFor[float64]():       true,
	}
	handle := reflect.TypeFor[*op.Attempt]()
	if handle.NumMethod() == 0 {
		t.Fatal("the handle has no methods")
	}
	for i := range handle.NumMethod() {
		m := handle.Method(i)
		for in := 1; in < m.Type.NumIn(); in++ {
			if times[m.Type.In(in)] {
				t.Errorf("%s takes a %v: a workload could say when", m.Name, m.Type.In(in))
			}
		}
	}
	for _, filled := range []reflect.Type{reflect.TypeFor[Operation](), reflect.TypeFor[op.Failure]()} {
		for i := range filled.NumField() {
			if f := filled.Field(i); times[f.Type] {
				t.Errorf("%v has the field %s of type %v", filled, f.Name, f.Type)
			}
		}
	}
	if _, exported := handle.Elem().FieldByName("start"); !exported {
		t.Error("the stamps are kept elsewhere now: look there")
	}
	for i := range handle.Elem().NumField() {
		if f := handle.Elem().Field(i); f.IsExported() {
			t.Errorf("the handle's field %s is open to workloads", f.Name)
		}
	}
}
