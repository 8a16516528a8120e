-- Read-only texts beside a buffer: those of its history, which Neovim reads by their address, and previews.
local client = require('relay.client')
local messages = require('relay.messages')

local M = {}

local namespace = vim.api.nvim_create_namespace('relay')

--- Fill the current buffer with a text that cannot be edited.
function M.fill(name, text)
  local buffer = vim.api.nvim_get_current_buf()
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split((text:gsub('\n$', '')), '\n', { plain = true }))
  vim.bo[buffer].buftype = 'nofile'
  vim.bo[buffer].buflisted = false
  -- A preview is deleted when no window shows it; an earlier text stays, since a list may lead to it.
  vim.bo[buffer].bufhidden = M.moment(buffer) and 'hide' or 'wipe'
  -- The colours of Relay, but not its filetype: no server is to look at a text that is no file.
  vim.bo[buffer].syntax = 'relay'
  vim.bo[buffer].modifiable = false
  vim.b[buffer].relay_text = name
end

--- Name the buffer of a preview, so that lists of buffers and the status line say what it shows.
function M.name(buffer, title)
  local name = 'relay-preview://' .. title
  local count = 1
  while vim.fn.bufnr('^' .. vim.fn.fnameescape(name) .. '$') ~= -1 do
    count = count + 1
    name = ('relay-preview://%s (%d)'):format(title, count)
  end
  pcall(vim.api.nvim_buf_set_name, buffer, name)
end

--- Wrap the long lines of both sides of a diff at blanks, indented as they are, so that both stay side by side.
function M.wrap()
  for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    vim.wo[window].wrap = true
    vim.wo[window].linebreak = true
    vim.wo[window].breakindent = true
    vim.wo[window].breakindentopt = 'shift:2'
  end
end

--- The address of a text of the history of `buffer`: the one before or after a step.
function M.address(buffer, step, side)
  return ('relay-text://%d/%d/%s/%s'):format(buffer, step.id, side, step.pass)
end

--- The number of the buffer with a text of the history, loaded: what is filled later moves the places in lists.
function M.load(address)
  local buffer = vim.fn.bufadd(address)
  vim.fn.bufload(buffer)
  return buffer
end

--- What a buffer shows of the history, as a table with `buffer`, `id` and `side`; nil for another one.
function M.moment(buffer)
  local name = vim.api.nvim_buf_get_name(buffer or 0)
  local source, id, side = name:match('relay%-text://(%d+)/(%d+)/(%a+)/')
  return source and { buffer = tonumber(source), id = tonumber(id), side = side }
end

--- Read the text of the current buffer's address; Neovim calls it when it opens one.
function M.read()
  local moment = M.moment(0)
  local target = vim.api.nvim_get_current_buf()
  if not moment or not vim.api.nvim_buf_is_valid(moment.buffer) then
    messages.say('The buffer of this text is gone.', vim.log.levels.ERROR)
    return
  end
  local done = false
  client.request('relay/historyText', { id = moment.id, side = moment.side }, function(result)
    vim.api.nvim_buf_call(target, function()
      M.fill(('%s step %d'):format(moment.side, moment.id), result.text)
    end)
    done = true
  end, moment.buffer)
  -- A jump into the text needs it to be there.
  vim.wait(5000, function() return done end, 10)
end

--- Show the first change of the diff in this window, where what is before it, such as a long head, fills the screen.
function M.to_change()
  vim.cmd('redraw')
  local last = vim.fn.line('w$')
  vim.cmd('normal! gg')
  if vim.fn.diff_hlID(1, 1) == 0 then
    vim.cmd('silent! normal! ]c')
  end
  vim.cmd('normal! ' .. (vim.fn.line('.') > last and 'zt' or 'gg'))
end

--- Open texts side by side as a diff in a tab page of their own. Each is an address, or the number of a buffer.
function M.diff(left, right)
  local function open(command, what)
    if type(what) == 'number' then
      vim.cmd(command .. ' sbuffer ' .. what)
    else
      vim.cmd(command .. ' split ' .. vim.fn.fnameescape(what))
    end
    vim.cmd('diffthis')
  end
  open('tab', left)
  open('rightbelow vertical', right)
  M.to_change()
end

--- A range of the protocol as 0-based line and byte columns of a list of lines: `{line, column, end line, end column}`.
function M.columns(lines, range, encoding)
  local function column(place)
    local line = lines[place.line + 1] or ''
    if encoding == 'utf-8' then
      return math.min(place.character, #line)
    end
    local ok, index
    if vim.fn.has('nvim-0.11') == 1 then
      ok, index = pcall(vim.str_byteindex, line, encoding or 'utf-16', place.character, false)
    else
      ok, index = pcall(vim.str_byteindex, line, place.character, encoding ~= 'utf-32')
    end
    return ok and index or #line
  end
  return { range.start.line, column(range.start), range['end'].line, column(range['end']) }
end

--- What stands in a range of a list of lines, on one line.
function M.excerpt(lines, range, encoding)
  local place = M.columns(lines, range, encoding)
  local parts = {}
  for number = place[1], place[3] do
    local line = lines[number + 1] or ''
    local from = number == place[1] and place[2] + 1 or 1
    parts[#parts + 1] = line:sub(from, number == place[3] and place[4] or #line)
  end
  return vim.trim((table.concat(parts, ' '):gsub('%s+', ' ')))
end

--- Mark a range of a buffer, with a note behind its first line if there is one, or in virtual lines `below` it.
function M.annotate(buffer, range, note, encoding, below)
  local place = M.columns(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), range, encoding)
  vim.api.nvim_buf_set_extmark(buffer, namespace, place[1], place[2], {
    end_row = place[3],
    end_col = place[4],
    hl_group = note and 'Underlined' or 'IncSearch',
    virt_text = note and not below and { { note, 'Comment' } } or nil,
    virt_lines = note and below and vim.tbl_map(function(line) return { { line, 'Comment' } } end, below) or nil,
  })
  return place
end

--- Take all marks off a buffer.
function M.clear(buffer)
  vim.api.nvim_buf_clear_namespace(buffer, namespace, 0, -1)
end

return M
