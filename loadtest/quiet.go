package loadtest

import (
	"context"
	"fmt"
	"os/exec"
)

// chill makes the next download a cold one, if the plan asks for that.
func chill(ctx context.Context, p Plan) error {
	if p.ColdCommand != "" {
		output, err := exec.CommandContext(ctx, "sh", "-c", p.ColdCommand).CombinedOutput()
		if err != nil {
			return fmt.Errorf("run cold command: %w: %s", err, output)
		}
		return nil
	}
	if p.Cold {
		return dropCaches()
	}
	return nil
}
