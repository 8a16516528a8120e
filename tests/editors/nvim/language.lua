-- What Neovim itself does with a server of the language: definitions, names, fixes, symbols, layout, hints, colours.
-- Gives what was seen. `until_true`, `place_cursor` and `buffer_text` are those of drive.lua.
return function(work, until_true, place_cursor, buffer_text)
  local seen = {}
  local function ask(method, params)
    local answers = vim.lsp.buf_request_sync(0, method, params, 10000)
    for _, answer in pairs(answers or {}) do
      return answer.result
    end
  end
  local document = function() return { textDocument = { uri = vim.uri_from_bufnr(0) } } end

  vim.cmd('edit ' .. work .. '/module.relay')
  until_true('the client', function() return #vim.lsp.get_clients({ bufnr = 0 }) > 0 end)
  local before = buffer_text()

  place_cursor('@square(%x)')
  vim.lsp.buf.definition()
  until_true('the definition', function() return vim.fn.line('.') == 2 end)
  seen.definition = vim.api.nvim_get_current_line()

  vim.cmd('let &undolevels = &undolevels')
  vim.lsp.buf.rename('@double')
  until_true('the rename', function() return buffer_text():find('@double(%x)', 1, true) ~= nil end)
  seen.renamed = buffer_text()
  vim.cmd('silent undo')
  seen.rename_undone = buffer_text() == before

  place_cursor('nn.relu(%0)')
  vim.cmd('let &undolevels = &undolevels')
  local row, column = unpack(vim.api.nvim_win_get_cursor(0))
  local selected = { start = { row, column }, ['end'] = { row, column + #'nn.relu(%0)' } }
  vim.lsp.buf.code_action({ apply = true, range = selected, filter = function(action) return action.title:find('[Ee]xtract') ~= nil end })
  until_true('the function', function() return select(2, buffer_text():gsub('\ndef ', '')) == 3 end)
  seen.extracted = buffer_text()
  vim.cmd('silent undo')

  seen.symbols = vim.tbl_map(function(symbol) return symbol.name end, ask('textDocument/documentSymbol', document()))
  vim.lsp.inlay_hint.enable(true, { bufnr = 0 })
  until_true('the hints', function() return #vim.lsp.inlay_hint.get({ bufnr = 0 }) > 0 end)
  local label = vim.lsp.inlay_hint.get({ bufnr = 0 })[1].inlay_hint.label
  seen.hint = type(label) == 'string' and label or label[1].value
  place_cursor('nn.relu')
  until_true('the colours', function()
    return #(vim.lsp.semantic_tokens.get_at_pos() or {}) > 0
  end)
  seen.token = vim.lsp.semantic_tokens.get_at_pos()[1].type

  vim.cmd([[silent %s/  %1 = nn.relu(%0);/     %1  =  nn.relu( %0 ) ;/]])
  vim.lsp.buf.format({ timeout_ms = 10000 })
  seen.formatted = buffer_text() == before
  vim.cmd('edit!')
  return seen
end
