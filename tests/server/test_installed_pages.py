"""The pages that diagnostics point to are there where the package is installed, not only in a checkout."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_what_is_built_has_every_page_where_the_server_looks_for_it(tmp_path: Path) -> None:
    # What a wheel holds is what `build` puts together.
    command = [sys.executable, "setup.py", "-q", "build", "--build-base", str(tmp_path), "--build-lib"]
    subprocess.run([*command, str(tmp_path / "lib")], cwd=ROOT, check=True, capture_output=True)
    package = tmp_path / "lib" / "relay_lsp"
    pages = {page.name for page in (package / "docs" / "diagnostics").glob("*.md")}
    assert pages == {page.name for page in (ROOT / "docs" / "diagnostics").glob("*.md")}
    script = f"""
import sys

# The editable install's finder would come before what was built.
sys.meta_path[:] = [finder for finder in sys.meta_path if "editable" not in repr(finder)]
sys.path.insert(0, {str(tmp_path / "lib")!r})
from relay_lsp.server.conversion import documentation_page

print(documentation_page("undefined-variable"))
"""
    shown = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert shown.stdout.strip() == (package / "docs" / "diagnostics" / "undefined-variable.md").as_uri()
