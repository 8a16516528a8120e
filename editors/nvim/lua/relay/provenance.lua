-- Where a value came from and where it went: a location list that leads to the places, and a note behind the line.
local client = require('relay.client')
local texts = require('relay.texts')
local messages = require('relay.messages')

local M = {}

local function encoding_of(buffer)
  local found = client.find(buffer, true)
  return found and found.offset_encoding or 'utf-16'
end

--- The entries of the location list for what passes did, each in the text before the pass.
local function event_entries(events, buffer)
  local entries = {}
  for _, event in ipairs(events) do
    local earlier = texts.load(texts.address(buffer, { id = event.id, pass = event.pass }, 'before'))
    if #event.before == 0 then
      entries[#entries + 1] = { bufnr = earlier, lnum = 1, text = event.pass .. ': new' }
    end
    local lines = vim.api.nvim_buf_get_lines(earlier, 0, -1, false)
    for index, before in ipairs(event.before) do
      local place = texts.columns(lines, event.ranges[index], encoding_of(buffer))
      entries[#entries + 1] = {
        bufnr = earlier,
        lnum = place[1] + 1,
        col = place[2] + 1,
        text = event.pass .. ': from ' .. before,
      }
    end
  end
  return entries
end

--- List places beside the window that they were asked for in; the user may have gone to another one meanwhile.
local function show(window, title, entries)
  if vim.api.nvim_win_is_valid(window) then
    vim.fn.setloclist(window, {}, ' ', { title = title, items = entries })
    vim.api.nvim_win_call(window, function() vim.cmd('lopen') end)
  end
end

local function one_line(text)
  return (vim.trim(text):gsub('%s+', ' '))
end

--- Where the value under the cursor came from: its origins in the source, and the passes that made it.
function M.origins()
  local buffer, window = vim.api.nvim_get_current_buf(), vim.api.nvim_get_current_win()
  if texts.moment(buffer) then
    messages.say('Ask in the buffer itself where a value came from; here :RelayFate tells where it went.')
    return
  end
  client.request('relay/provenance', client.document(buffer, { position = client.position() }), function(answer)
    if not answer then
      messages.say('There is no value here.')
      return
    end
    texts.clear(buffer)
    local entries, notes = {}, {}
    for _, origin in ipairs(answer.origins) do
      local named = origin.line > 0 and ('%s:%d:%d'):format(origin.name, origin.line, origin.column) or origin.name
      notes[#notes + 1] = named
      local entry = { text = 'comes from ' .. named, lnum = math.max(origin.line, 1), col = math.max(origin.column, 1) }
      if origin.target then
        entry.filename = vim.uri_to_fname((origin.target:gsub('#.*$', '')))
      else
        entry = { bufnr = buffer, lnum = answer.range.start.line + 1, text = entry.text }
      end
      entries[#entries + 1] = entry
    end
    for _, event in ipairs(answer.events) do
      notes[#notes + 1] = event.pass
    end
    vim.list_extend(entries, event_entries(answer.events, buffer))
    local note = #notes > 0 and table.concat(notes, ', ') or 'no pass has touched it'
    local below = vim.tbl_map(function(entry) return '    ← ' .. one_line(entry.text) end, entries)
    texts.annotate(buffer, answer.range, '← ' .. note, encoding_of(buffer), #below > 0 and below or nil)
    if #entries > 0 then
      show(window, one_line(answer.text), entries)
    end
  end)
end

--- Where the value under the cursor of an earlier text went.
function M.fate()
  local earlier, window = vim.api.nvim_get_current_buf(), vim.api.nvim_get_current_win()
  local moment = texts.moment(earlier)
  if not moment then
    messages.say('Open an earlier text with :RelayHistory, and ask there where its values went.')
    return
  end
  local buffer = moment.buffer
  local row, column = unpack(vim.api.nvim_win_get_cursor(0))
  local line = vim.api.nvim_buf_get_lines(earlier, row - 1, row, false)[1]
  local encoding = encoding_of(buffer)
  local function character()
    if encoding == 'utf-8' then
      return column
    elseif vim.fn.has('nvim-0.11') == 1 then
      return vim.str_utfindex(line, encoding, column, false)
    end
    local utf32, utf16 = vim.str_utfindex(line, column)
    return encoding == 'utf-32' and utf32 or utf16
  end
  local position = { line = row - 1, character = character() }

  local function ask(step)
    local params = client.document(buffer, { id = step, position = position })
    client.request('relay/fate', params, function(answer)
      if not answer then
        messages.say('There is no value here.')
        return
      end
      texts.clear(earlier)
      texts.clear(buffer)
      local entries = {}
      local lines = vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
      for _, place in ipairs(answer.places) do
        local columns = texts.annotate(buffer, place, nil, encoding)
        local text = 'is now ' .. texts.excerpt(lines, place, encoding)
        entries[#entries + 1] = { bufnr = buffer, lnum = columns[1] + 1, col = columns[2] + 1, text = text }
      end
      vim.list_extend(entries, event_entries(answer.events, buffer))
      local removed = answer.removedBy ~= vim.NIL and answer.removedBy
      local note = removed and 'removed by ' .. removed
        or #answer.places > 0 and ('line %d'):format(answer.places[1].start.line + 1)
        or 'edited away since'
      texts.annotate(earlier, answer.range, '→ ' .. note, encoding)
      show(window, one_line(answer.text) .. ' → ' .. note, entries)
    end, buffer)
  end

  if moment.side == 'before' then
    ask(moment.id)
    return
  end
  client.request('relay/history', client.document(buffer), function(found)
    for index, step in ipairs(found.steps) do
      local next_step = found.steps[index + 1]
      if step.id == moment.id and next_step and next_step.applied then
        ask(next_step.id)
        return
      end
    end
    messages.say('This is the newest text: its values are still where they are.')
  end, buffer)
end

return M
