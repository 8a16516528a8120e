# The names of ./dev as make targets, for those whose fingers type make.
.PHONY: demo test lint conformance vsix release
demo test lint conformance vsix release:
	./dev $@
