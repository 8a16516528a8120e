"""Write the JSON schema of the trace format anew, beside this file."""

from __future__ import annotations

from pathlib import Path

if __name__ == "__main__":
    from relay_lsp.passes.provenance import trace_schema

    Path(__file__).with_name("trace-format.schema.json").write_text(trace_schema(), encoding="utf-8")
