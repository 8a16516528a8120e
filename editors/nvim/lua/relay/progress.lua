-- What the server works on, in a small window at the bottom right: its name, the step, the percentage, and a button.
local M = {}

-- Work that takes less is not shown, in milliseconds.
local QUIET = 300
local WIDTH = 46

-- The work that goes on, by the tokens of the server.
local works = {}
local window, buffer

--- What the button does: the same as :RelayCancel.
function M.cancel()
  require('relay.client').cancel()
end

local function close()
  if window and vim.api.nvim_win_is_valid(window) then
    vim.api.nvim_win_close(window, true)
  end
  window = nil
end

--- The longest-lived of what has gone on long enough to be shown, or nil.
local function shown_work()
  local oldest
  for _, work in pairs(works) do
    if work.is_shown and (not oldest or work.number < oldest.number) then
      oldest = work
    end
  end
  return oldest
end

local function draw()
  local work = shown_work()
  -- The window of the command line allows no other beside it.
  if not work or vim.fn.getcmdwintype() ~= '' then
    close()
    return
  end
  if not buffer or not vim.api.nvim_buf_is_valid(buffer) then
    buffer = vim.api.nvim_create_buf(false, true)
  end
  local done = work.percentage and ('%3d %%  '):format(work.percentage) or ''
  local line = done .. (work.message or '')
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, { ' ' .. vim.fn.strcharpart(line, 0, WIDTH - 2) })
  if not window or not vim.api.nvim_win_is_valid(window) then
    window = vim.api.nvim_open_win(buffer, false, {
      relative = 'editor', anchor = 'SE', row = vim.o.lines - vim.o.cmdheight - 1, col = vim.o.columns,
      width = WIDTH, height = 2, style = 'minimal', focusable = true, zindex = 60, noautocmd = true,
    })
  end
  if vim.fn.exists('+winbar') == 1 then
    local title = vim.fn.strcharpart(work.title, 0, WIDTH - 14):gsub('%%', '%%%%')
    local button = '%@v:lua.RelayCancelButton@[ Cancel ]%X '
    vim.api.nvim_win_call(window, function() vim.wo.winbar = ' ' .. title .. '%=' .. button end)
  else
    -- Neovim 0.7 has no place for a button.
    vim.api.nvim_buf_set_lines(buffer, 1, -1, false, { ' :RelayCancel stops it' })
  end
end

-- A click in a bar calls a global function.
function _G.RelayCancelButton()
  M.cancel()
end

local count = 0

--- Take a notification of the server about its work.
function M.update(params)
  local token, value = params.token, params.value
  if type(value) ~= 'table' then
    return
  elseif value.kind == 'end' then
    works[token] = nil
    draw()
    return
  elseif value.kind == 'begin' then
    count = count + 1
    local work = { title = value.title or 'Relay', number = count }
    works[token] = work
    vim.defer_fn(function()
      if works[token] == work then
        work.is_shown = true
        draw()
      end
    end, QUIET)
  end
  local work = works[token]
  if work then
    work.message = value.message or work.message
    work.percentage = value.percentage or work.percentage
    draw()
  end
end

--- Forget all work: the server is gone.
function M.forget()
  works = {}
  vim.schedule(draw)
end

--- The handler of the server's $/progress, around Neovim's own, which tells status lines.
function M.handler(err, params, context, configuration)
  if require('relay.config').options.progress then
    M.update(params)
  end
  return vim.lsp.handlers['$/progress'](err, params, context, configuration)
end

return M
