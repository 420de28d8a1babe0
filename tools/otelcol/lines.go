package main

import (
	"context"
	"errors"
	"os"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// linesConfig names the file.
type linesConfig struct {
	Path string `mapstructure:"path"`
}

// Validate refuses a configuration without a file.
func (c *linesConfig) Validate() error {
	if c.Path == "" {
		return errors.New("path is missing")
	}
	return nil
}

// lines makes the exporters "lines".
func lines() exporter.Factory {
	return exporter.NewFactory(component.MustNewType("lines"),
		func() component.Config { return &linesConfig{} },
		exporter.WithMetrics(func(_ context.Context, _ exporter.Settings, c component.Config) (exporter.Metrics, error) {
			return &linesExporter{path: c.(*linesConfig).Path}, nil
		}, component.StabilityLevelStable),
		exporter.WithTraces(func(_ context.Context, _ exporter.Settings, c component.Config) (exporter.Traces, error) {
			return &linesExporter{path: c.(*linesConfig).Path}, nil
		}, component.StabilityLevelStable))
}

// linesExporter appends a line for each batch.
type linesExporter struct {
	path string
	mu   sync.Mutex
	file *os.File
}

// Start opens the file.
func (e *linesExporter) Start(context.Context, component.Host) (err error) {
	e.file, err = os.OpenFile(e.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	return err
}

// Shutdown closes it.
func (e *linesExporter) Shutdown(context.Context) error {
	if e.file == nil {
		return nil
	}
	return e.file.Close()
}

// Capabilities says that nothing is changed.
func (e *linesExporter) Capabilities() consumer.Capabilities { return consumer.Capabilities{} }

// ConsumeMetrics writes a batch of metrics.
func (e *linesExporter) ConsumeMetrics(_ context.Context, m pmetric.Metrics) error {
	text, err := (&pmetric.JSONMarshaler{}).MarshalMetrics(m)
	return e.write(text, err)
}

// ConsumeTraces writes a batch of spans.
func (e *linesExporter) ConsumeTraces(_ context.Context, t ptrace.Traces) error {
	text, err := (&ptrace.JSONMarshaler{}).MarshalTraces(t)
	return e.write(text, err)
}

func (e *linesExporter) write(text []byte, err error) error {
	if err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	_, err = e.file.Write(append(text, '\n'))
	return err
}
