-- Layers at a glance: a colour for each (or for each pass, operator, compiler, dtype), a list of them, and the way from
-- one to the next.
local client = require('relay.client')
local texts = require('relay.texts')
local messages = require('relay.messages')

local M = {}

local namespace = vim.api.nvim_create_namespace('relay-layers')
local groupings = { 'layer', 'pass', 'operator', 'compiler', 'dtype' }
--- For each buffer that is coloured, what its colours stand for.
local coloured = {}

--- The names that `:RelayColour` takes.
function M.complete(lead)
  return vim.tbl_filter(function(name) return name:find(lead, 1, true) == 1 end, vim.list_extend({ 'off' }, groupings))
end

local function encoding_of(buffer)
  local found = client.find(buffer, true)
  return found and found.offset_encoding or 'utf-16'
end

--- Above the colours of words (semantic tokens have up to 127), below what the cursor is on.
local above_words = 130

local function draw(buffer, groups)
  vim.api.nvim_buf_clear_namespace(buffer, namespace, 0, -1)
  local lines = vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
  local encoding = encoding_of(buffer)
  for _, group in ipairs(groups) do
    -- What translucent colours look like over the background: a terminal has no other ones.
    local highlight = 'RelayColour' .. group.solid:sub(2)
    vim.api.nvim_set_hl(0, highlight, { bg = group.solid, fg = group.text })
    for _, range in ipairs(group.ranges) do
      local place = texts.columns(lines, range, encoding)
      pcall(vim.api.nvim_buf_set_extmark, buffer, namespace, place[1], place[2], {
        end_row = place[3],
        end_col = place[4],
        hl_group = highlight,
        priority = above_words,
      })
    end
  end
end

--- For how many lines above and below what is seen colours are asked for: scrolling a little shows them at once.
local margin = 60

--- What the windows of a buffer show of it, as the protocol has ranges.
local function seen_ranges(buffer)
  local ranges = {}
  for _, window in ipairs(vim.fn.win_findbuf(buffer)) do
    local info = vim.fn.getwininfo(window)[1]
    ranges[#ranges + 1] = {
      start = { line = math.max(info.topline - 1 - margin, 0), character = 0 },
      ['end'] = { line = info.botline + margin, character = 0 },
    }
  end
  return ranges
end

local function colour(buffer)
  local by = coloured[buffer]
  if not by or not vim.api.nvim_buf_is_valid(buffer) or not client.find(buffer, true) then
    return
  end
  local tick = vim.api.nvim_buf_get_changedtick(buffer)
  local ranges = seen_ranges(buffer)
  if #ranges == 0 then
    return
  end
  local theme = vim.o.background == 'light' and 'light' or 'dark'
  local asked = client.document(buffer, { by = by, theme = theme, ranges = ranges })
  client.request('relay/colours', asked, function(answer)
    if answer and coloured[buffer] == by and vim.api.nvim_buf_get_changedtick(buffer) == tick then
      draw(buffer, answer.groups)
    end
  end, buffer)
end

local function follow(buffer)
  local group = vim.api.nvim_create_augroup('relay-layers-' .. buffer, {})
  vim.api.nvim_create_autocmd({ 'TextChanged', 'InsertLeave' }, {
    group = group,
    buffer = buffer,
    callback = function() colour(buffer) end,
  })
  vim.api.nvim_create_autocmd('BufWinEnter', {
    group = group,
    buffer = buffer,
    callback = function() colour(buffer) end,
  })
  -- The windows that were scrolled may be others than that of the cursor.
  vim.api.nvim_create_autocmd('WinScrolled', {
    group = group,
    callback = function(event)
      local window = tonumber(event.match)
      if window and vim.api.nvim_win_is_valid(window) and vim.api.nvim_win_get_buf(window) == buffer then
        colour(buffer)
      end
    end,
  })
  vim.api.nvim_create_autocmd('BufUnload', {
    group = group,
    buffer = buffer,
    callback = function() coloured[buffer] = nil end,
  })
  vim.api.nvim_create_autocmd('OptionSet', {
    group = group,
    pattern = 'background',
    callback = function() colour(buffer) end,
  })
end

--- Give the values of the buffer a colour by what they have in common; `off` takes it away.
function M.colour(by)
  local buffer = vim.api.nvim_get_current_buf()
  by = by ~= '' and by or 'layer'
  if by == 'off' then
    coloured[buffer] = nil
    vim.api.nvim_buf_clear_namespace(buffer, namespace, 0, -1)
    pcall(vim.api.nvim_del_augroup_by_name, 'relay-layers-' .. buffer)
    return
  end
  if not vim.tbl_contains(groupings, by) then
    messages.say(('Colours are by %s, or off.'):format(table.concat(groupings, ', ')), vim.log.levels.ERROR)
    return
  end
  if client.find(buffer) then
    coloured[buffer] = by
    follow(buffer)
    colour(buffer)
  end
end

--- What `:RelayLayers` sorts by: whether one layer comes before another.
local orders = {
  name = function(a, b) return a.name < b.name end,
  values = function(a, b) return #a.ranges > #b.ranges end,
  flops = function(a, b) return a.flops > b.flops end,
  bytes = function(a, b) return a.bytes > b.bytes end,
}

--- The orders that `:RelayLayers` takes.
function M.complete_order(lead)
  return vim.tbl_filter(function(name) return name:find(lead, 1, true) == 1 end, { 'text', 'name', 'values', 'flops', 'bytes' })
end

--- A count with its unit, shortly: 3 decimal places would say no more.
local function shortly(count, base, units)
  local power = 0
  while count >= base and power < #units - 1 do
    count, power = count / base, power + 1
  end
  return (power > 0 and '%.1f %s' or '%d %s'):format(count, units[power + 1])
end

local function entry_of(layer, buffer, lines, encoding)
  local operators = {}
  for name, count in pairs(layer.operators) do
    operators[#operators + 1] = count > 1 and ('%s x%d'):format(name, count) or name
  end
  table.sort(operators)
  local place = texts.columns(lines, layer.ranges[1], encoding)
  local more = #layer.uncounted > 0 and ' and more' or ''
  return {
    bufnr = buffer,
    lnum = place[1] + 1,
    col = place[2] + 1,
    text = table.concat({
      -- A name may hold anything; an entry of the list is one line.
      vim.fn.strtrans(layer.name),
      #layer.ranges == 1 and '1 value' or ('%d values'):format(#layer.ranges),
      shortly(layer.flops, 1000, { 'FLOP', 'kFLOP', 'MFLOP', 'GFLOP', 'TFLOP' }) .. more,
      shortly(layer.bytes, 1024, { 'B', 'KiB', 'MiB', 'GiB', 'TiB' }),
      table.concat(operators, ', '),
      'in ' .. (#layer.inputs > 0 and table.concat(layer.inputs, '; ') or 'nothing'),
      'out ' .. (#layer.outputs > 0 and table.concat(layer.outputs, '; ') or 'nothing'),
    }, ' | '),
  }
end

--- List the layers of the buffer, each with what it consists of; the location list leads to its values.
function M.list(order)
  local buffer = vim.api.nvim_get_current_buf()
  if order ~= '' and order ~= 'text' and not orders[order] then
    messages.say('Layers are sorted by text, name, values, flops or bytes.', vim.log.levels.ERROR)
    return
  end
  client.request('relay/layers', client.document(buffer), function(answer)
    local layers = answer and answer.layers or {}
    if orders[order] then
      table.sort(layers, orders[order])
    end
    if #layers == 0 then
      messages.say('No comment and no pass tells of layers in this text.')
      return
    end
    local lines = vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
    local encoding = encoding_of(buffer)
    local entries = vim.tbl_map(function(layer) return entry_of(layer, buffer, lines, encoding) end, layers)
    vim.fn.setloclist(0, {}, ' ', { title = 'Relay layers', items = entries })
    vim.cmd('lopen')
  end, buffer)
end

--- Go to the `next` layer or to the `previous` one.
function M.go(direction)
  local buffer, window = vim.api.nvim_get_current_buf(), vim.api.nvim_get_current_win()
  direction = direction == 'previous' and 'previous' or 'next'
  local asked = client.document(buffer, { position = client.position(), direction = direction })
  client.request('relay/neighbouringLayer', asked, function(answer)
    if not answer then
      messages.say(('There is no %s layer.'):format(direction))
      return
    end
    if not vim.api.nvim_win_is_valid(window) or vim.api.nvim_win_get_buf(window) ~= buffer then
      return -- The user has gone elsewhere meanwhile.
    end
    local lines = vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
    local place = texts.columns(lines, answer.range, encoding_of(buffer))
    vim.api.nvim_win_set_cursor(window, { place[1] + 1, place[2] })
    vim.api.nvim_echo({ { table.concat(answer.layers, ', ') } }, false, {})
  end, buffer)
end

--- List all values of the layer under the cursor, in the text's order; `:lnext` walks through them.
function M.select()
  local buffer = vim.api.nvim_get_current_buf()
  local asked = client.document(buffer, { position = client.position(), direction = 'here' })
  client.request('relay/neighbouringLayer', asked, function(answer)
    if not answer then
      messages.say('There is no layer here.')
      return
    end
    local lines = vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
    local encoding = encoding_of(buffer)
    local entries = vim.tbl_map(function(range)
      local place = texts.columns(lines, range, encoding)
      return {
        bufnr = buffer,
        lnum = place[1] + 1,
        col = place[2] + 1,
        end_lnum = place[3] + 1,
        end_col = place[4] + 1,
        text = vim.trim(lines[place[1] + 1]),
      }
    end, answer.ranges)
    vim.fn.setloclist(0, {}, ' ', { title = vim.fn.strtrans(table.concat(answer.layers, ', ')), items = entries })
    vim.cmd('lopen')
  end, buffer)
end

return M
