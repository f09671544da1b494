package main

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
)

// Each command has the flags that mean something to it, and no others.
func TestLoadFlagsWhereTheyMeanSomething(t *testing.T) {
	t.Parallel()
	commands := newLoadCommand().Commands()
	for flag, of := range map[string]string{
		"url":          "put form tus get small mixed slow soak resume sweep line rate",
		"size":         "put form tus get small mixed slow soak resume sweep rate versus",
		"seed":         "put form tus get small mixed slow soak resume sweep line rate versus",
		"duration":     "put form tus get small mixed slow soak resume sweep versus",
		"connection":   "put form tus get small mixed slow soak resume sweep line rate versus",
		"chunk":        "tus mixed soak sweep versus",
		"range":        "get mixed soak sweep versus",
		"cold":         "get sweep versus",
		"objects":      "get mixed slow soak resume sweep rate versus",
		"read-back":    "put form tus small mixed slow soak resume sweep versus",
		"weights":      "mixed slow soak",
		"grow":         "soak",
		"via":          "small resume",
		"cuts":         "resume",
		"vary":         "sweep",
		"budget":       "line",
		"probe":        "rate",
		"metrics-url":  "put form tus get small mixed slow soak resume",
		"repeat":       "put form tus get small mixed slow soak resume sweep line rate versus",
		"defer-length": "tus mixed soak sweep versus",
	} {
		for _, command := range commands {
			name, _, _ := strings.Cut(command.Use, " ")
			if name == "report" || name == "compare" || name == "agent" || name == "experiment" {
				continue
			}
			want := strings.Contains(" "+of+" ", " "+name+" ")
			if has := command.Flags().Lookup(flag) != nil; has != want {
				t.Errorf("load %s: --%s is there: %v", name, flag, has)
			}
		}
	}
}

// The commands run what they say, with what their flags begin with.
func TestLoadScenarios(t *testing.T) {
	t.Parallel()
	url := startSink(t, http.StatusCreated)
	for _, test := range []struct {
		args      string
		transfers int
	}{
		{"small --files 3 --repeat 2", 16 * 3 * 2},
		{"small --via form --streams 2 --files 3 --repeat 1", 6},
		{"mixed --weights put=2,form=1 --size uniform:1-2000 --repeat 1", 4 * 10},
		{"slow --weights put --size 100 --streams 3 --repeat 1", 3},
		{"soak --weights put --size 1KB --files 2 --grow 0", 4 * 2},
		{"put --rate 100 --files 7 --size 100 --streams 7 --repeat 1", 7},
		{"sweep put --vary streams=1,2 --size 100 --repeat 2", 2 + 4},
		{"line put --sizes 4,100 --budget 1000", 250 + 10},
		{"rate put --size 10 --from 20 --to 20 --probe 200ms", 4},
	} {
		t.Run(test.args, func(t *testing.T) {
			t.Parallel()
			document, err := runLoad(t, append(strings.Fields(test.args), "--url", url, "--json", "-")...)
			if err != nil {
				t.Fatal(err)
			}
			var run struct{ Transfers int }
			if err := json.Unmarshal([]byte(document), &run); err != nil || run.Transfers != test.transfers {
				t.Errorf("%d transfers, want %d, %v", run.Transfers, test.transfers, err)
			}
		})
	}
}

func TestLoadScenariosThatMakeNoSense(t *testing.T) {
	t.Parallel()
	for _, args := range []string{
		"mixed --url http://h/ --weights put=1,tus=1",
		"mixed --url http://h/x",
		"slow --url http://h/ --stream-rate 0",
		"soak --url http://h/ --duration 0",
		"small --url http://h/ --via get",
		"resume --url http://h/ --via put",
		"resume --url http://h/ --cuts 0",
		"put --url http://h/ --files 2 --duration 1s",
		"put --url http://h/ --metrics-url http://h/metrics --read-back",
		"sweep put --vary streams=1",
		"sweep put --url http://h/ --vary word=1",
		"sweep put --url http://h/ --vary word=1 --server serve",
		"line put --url http://h/ --sizes x",
		"rate put --url http://h/ --from 0",
	} {
		_, err := runLoad(t, strings.Fields(args)...)
		if usage := (loadUsageError{}); !errors.As(err, &usage) {
			t.Errorf("load %s: %v", args, err)
		}
	}
}
