-- A day in Neovim as a person sees it: a real Neovim in a terminal of this one, keys sent to it, its screen read.
-- usage: nvim --clean --headless -S day.lua   (with RELAY_NVIM, RELAY_PLUGIN, RELAY_SERVER, RELAY_WORK in the environment)
local work = vim.env.RELAY_WORK
local report = { steps = {}, errors = {} }
local channel, buffer

local function start(server, file)
  vim.cmd('enew')
  buffer = vim.api.nvim_get_current_buf()
  vim.api.nvim_win_set_width(0, 110)
  local init = work .. '/init.lua'
  local lines = {
    ('vim.opt.runtimepath:prepend(%q)'):format(vim.env.RELAY_PLUGIN),
    -- The machine may do much else.
    ("require('relay').setup({ cmd = { %q, 'serve' }, settings = { relay = { passTimeout = 120 } } })"):format(server),
    'vim.o.laststatus = 2',
    'vim.o.swapfile = false',
  }
  vim.fn.writefile(lines, init)
  channel = vim.fn.termopen({ vim.env.RELAY_NVIM, '--clean', '-u', init, work .. '/' .. file })
end

local function stop()
  vim.fn.jobstop(channel)
  vim.fn.jobwait({ channel }, 3000)
end

local function screen()
  return table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\n')
end

local function keys(text)
  vim.api.nvim_chan_send(channel, vim.api.nvim_replace_termcodes(text, true, false, true))
end

local function shot(name)
  local file = assert(io.open(('%s/%s.txt'):format(work, name), 'w'))
  file:write(screen())
  file:close()
end

local function until_shown(words, seconds)
  local started = vim.uv.hrtime()
  if not vim.wait((seconds or 90) * 1000, function() return screen():find(words, 1, true) ~= nil end, 20) then
    error(('waited in vain for “%s”; the screen said\n%s'):format(words, screen()))
  end
  return (vim.uv.hrtime() - started) / 1e9
end

local function until_gone(words)
  local started = vim.uv.hrtime()
  if not vim.wait(30 * 1000, function() return screen():find(words, 1, true) == nil end, 10) then
    error(('“%s” stays; the screen said\n%s'):format(words, screen()))
  end
  return (vim.uv.hrtime() - started) / 1e9
end

local function follow(name, step)
  local ok, seen = pcall(step)
  report.steps[name] = ok and seen or nil
  report.errors[name] = not ok and tostring(seen) or nil
  shot(name)
end

vim.o.columns, vim.o.lines = 112, 42

follow('missing', function()
  start('/nowhere/relay-lsp', 'resnet18.relay')
  until_shown('#[version')
  until_shown('relay-lsp')
  vim.wait(500)
  local seen = { screen = screen() }
  keys(':edit<CR>')
  vim.wait(500)
  seen.again = screen()
  return seen
end)
stop()

follow('opening', function()
  start(vim.env.RELAY_SERVER, 'resnet18.relay')
  until_shown('parameters …')
  return { screen = screen() }
end)

follow('running', function()
  until_shown('nn.conv2d')
  keys(':RelayRunPass SimplifyInference<CR>')
  local seconds = until_shown('SimplifyInference: nn.batch_norm')
  return { screen = screen(), seconds = seconds }
end)

follow('uses', function()
  keys('gg/nn\\.conv2d<CR>:RelayNextUse<CR>')
  until_shown('Use 2 of 21')
  return { screen = screen() }
end)

follow('provenance', function()
  keys('gg/sqrt<CR>:RelayProvenance<CR>')
  until_shown('← SimplifyInference: from')
  return { screen = screen() }
end)

follow('preview', function()
  keys('<C-w>o:RelayPreview FuseOps<CR>')
  until_shown('relay-preview://FuseOps')
  vim.wait(300)
  local seen = { screen = screen() }
  keys(':RelayAlign @main<CR>')
  until_shown('FuseOps aligned @main')
  vim.wait(300)
  seen.aligned = screen()
  shot('aligned')
  keys(':tabclose<CR>')
  keys(':tabclose<CR>')
  return seen
end)

follow('steps', function()
  keys(':RelayPreview FoldScaleAxis, FuseOps, FastMath<CR>')
  until_shown('squeeze 0 → ')
  keys(':RelaySteps<CR>')
  until_shown('Type number')
  local seen = { list = screen() }
  keys('<CR>')
  until_gone('Type number')
  keys(':RelaySteps!<CR>')
  until_shown('FoldConstant: changes nothing')
  seen.all = screen()
  keys('4<CR>')
  until_shown('4. FuseOps before')
  vim.wait(300)
  seen.step = screen()
  keys(':tabclose<CR>')
  keys(':tabclose<CR>')
  return seen
end)

follow('messages', function()
  keys(':RelayMessages<CR>')
  until_shown('nn.batch_norm −19')
  local seen = { screen = screen() }
  keys(':close<CR>')
  return seen
end)
stop()

follow('cancelling', function()
  start(vim.env.RELAY_SERVER, 'long.relay')
  until_shown('nn.relu')
  -- The server serves the buffer when it is asked for the first time.
  keys(':RelayHistory<CR>')
  until_shown('No pass has changed')
  keys(':RelayRunPass FuseOps<CR>')
  until_shown('[ Cancel ]')
  vim.wait(60000, function() return screen():find('%d+ %%  %a') ~= nil end, 10)
  local working = screen()
  keys(':RelayCancel<CR>')
  local seconds = until_gone('[ Cancel ]')
  until_shown('cancelled')
  return { working = working, screen = screen(), seconds = seconds }
end)

follow('button', function()
  keys(':RelayRunPass FuseOps<CR>')
  until_shown('[ Cancel ]')
  local row, column
  for number, line in ipairs(vim.split(screen(), '\n', { plain = true })) do
    local start = line:find('[ Cancel ]', 1, true)
    if start then
      row, column = number, vim.fn.strdisplaywidth(line:sub(1, start - 1)) + 3
    end
  end
  -- A terminal tells of the mouse so: the left button goes down, and up.
  vim.api.nvim_chan_send(channel, ('\27[<0;%d;%dM\27[<0;%d;%dm'):format(column, row, column, row))
  local seconds = until_gone('[ Cancel ]')
  return { screen = screen(), seconds = seconds }
end)
stop()

local file = assert(io.open(work .. '/report.json', 'w'))
file:write(vim.json.encode(report))
file:close()
vim.cmd('qall!')
