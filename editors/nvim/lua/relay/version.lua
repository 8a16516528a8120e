-- The version of the plugin, which is the version of relay-lsp that it was made for.
return '0.1.0'
