-- The way from one use of what is under the cursor to the next: a name, an operator, a dtype, an attribute or its value.
local client = require('relay.client')
local messages = require('relay.messages')
local texts = require('relay.texts')

local M = {}

--- Go to the next place in this buffer, or with `previous` to the one before; from the last to the first.
function M.go(previous)
  local buffer = vim.api.nvim_get_current_buf()
  local given = client.document(buffer, { position = client.position(), context = { includeDeclaration = true } })
  client.request('textDocument/references', given, function(found)
    local uri = vim.uri_from_bufnr(buffer)
    local lines = vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
    local encoding = (client.find(buffer, true) or {}).offset_encoding
    local places = {}
    for _, each in ipairs(found or {}) do
      if each.uri == uri then
        places[#places + 1] = texts.columns(lines, each.range, encoding)
      end
    end
    table.sort(places, function(a, b) return a[1] < b[1] or (a[1] == b[1] and a[2] < b[2]) end)
    local row, column = unpack(vim.api.nvim_win_get_cursor(0))
    for index, place in ipairs(places) do
      if place[1] == row - 1 and place[2] <= column and column <= place[4] and #places > 1 then
        local next_index = (index - 1 + (previous and -1 or 1)) % #places + 1
        local target = places[next_index]
        vim.cmd("normal! m'")
        vim.api.nvim_win_set_cursor(0, { target[1] + 1, target[2] })
        messages.say(('Use %d of %d'):format(next_index, #places))
        return
      end
    end
    messages.say('There is no other use in this buffer.')
  end, buffer)
end

return M
