-- Which server runs, and how :RelayInstall installs one: into a Python environment of its own, below stdpath('data').
local config = require('relay.config')
local messages = require('relay.messages')

local M = {}

M.version = require('relay.version')
M.folder = vim.fn.stdpath('data') .. '/relay-lsp'

local windows = vim.fn.has('win32') == 1
local plugin = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h:h:h')
local supported = { ['3.10'] = true, ['3.11'] = true, ['3.12'] = true, ['3.13'] = true }
local reported = {}
local installing = false

local function say(message, level)
  vim.schedule(function() messages.say(message, level) end)
end

local function program(environment, name)
  return environment .. (windows and '/Scripts/' .. name .. '.exe' or '/bin/' .. name)
end

--- The environment of :RelayInstall and its version: that of the plugin's version, or else an older one; or nil.
function M.installed()
  -- The file `installed` is written last, so an environment without it is half made.
  local complete = vim.fn.glob(M.folder .. '/*/installed', true, true)
  table.sort(complete)
  local best
  for _, path in ipairs(complete) do
    local environment = vim.fn.fnamemodify(path, ':h')
    if vim.fn.executable(program(environment, 'relay-lsp')) == 1 then
      best = environment
      if vim.fn.fnamemodify(environment, ':t') == M.version then
        break
      end
    end
  end
  if best then
    return best, vim.fn.fnamemodify(best, ':t')
  end
end

--- The wheel that the plugin's archive brings, or nil.
function M.wheel()
  return vim.fn.glob(plugin .. '/server/relay_lsp-*.whl', true, true)[1]
end

--- The command that starts the server, and where it comes from; or nil, and what is missing.
function M.find()
  local given = config.options.cmd
  if type(given) == 'function' then
    return given, 'setup()'
  elseif given then
    if vim.fn.executable(given[1]) == 1 then
      -- The server is not started in Neovim's folder, which the program may be named relative to.
      return vim.list_extend({ vim.fn.exepath(given[1]) }, given, 2), 'setup()'
    end
    return nil, given[1] .. ', which setup() names, is not executable'
  end
  local environment = M.installed()
  if environment then
    return { program(environment, 'relay-lsp'), 'serve' }, ':RelayInstall'
  elseif vim.fn.executable('relay-lsp') == 1 then
    return { vim.fn.exepath('relay-lsp'), 'serve' }, 'the PATH'
  end
  return nil, 'relay-lsp is not installed'
end

--- The version of the server that `command` starts; or nil, and what it said instead.
function M.version_of(command)
  local asking = {}
  for _, argument in ipairs(command) do
    if argument == 'serve' then
      break
    end
    asking[#asking + 1] = argument
  end
  asking[#asking + 1] = '--version'
  local output = {}
  local function read(_, lines) vim.list_extend(output, lines) end
  local job = vim.fn.jobstart(asking, { cwd = config.folder, on_stdout = read, on_stderr = read })
  local code = vim.fn.jobwait({ job }, 20000)[1]
  local said = vim.trim(table.concat(output, '\n'))
  local version = said:match('^relay%-lsp (%S+)')
  if code == 0 and version then
    return version
  end
  return nil, said ~= '' and said:match('[^\n]+$') or 'it says nothing'
end

--- Tell the user, once in a session, that there is no server or that it is older than the plugin.
function M.tell_what_is_missing()
  local command, reason = M.find()
  local message
  if not command then
    message = reason .. ', so Relay files have colours only. '
      .. (config.options.cmd and 'Correct `cmd`, or leave it away. ' or ':RelayInstall installs it for Neovim alone. ')
      .. ':checkhealth relay tells more.'
  elseif reason == ':RelayInstall' and M.wheel() then
    local _, version = M.installed()
    if version ~= M.version then
      message = ('relay-lsp %s is installed; the plugin brings %s: :RelayInstall updates it.'):format(version, M.version)
    end
  end
  if message and not reported[message] then
    reported[message] = true
    say(message, vim.log.levels.WARN)
  end
end

--- A Python that can make the environment; or nil, and what is wrong with those that there are.
function M.python()
  local candidates = { 'python3', 'python3.13', 'python3.12', 'python3.11', 'python3.10', 'python', 'py' }
  if config.options.python then
    candidates = { config.options.python }
  end
  local wrong = {}
  for _, python in ipairs(candidates) do
    if vim.fn.executable(python) == 1 then
      -- -I: neither the folder that Neovim was started in nor PYTHONPATH is where modules come from.
      local version = vim.fn.system({ python, '-I', '-c', 'import sys; print("%d.%d" % sys.version_info[:2], end="")' })
      if vim.v.shell_error ~= 0 then
        wrong[#wrong + 1] = python .. ' does not run'
      elseif not supported[version] then
        wrong[#wrong + 1] = ('%s is Python %s'):format(python, version)
      else
        vim.fn.system({ python, '-I', '-c', 'import ensurepip, venv' })
        if vim.v.shell_error == 0 then
          return python, version
        end
        wrong[#wrong + 1] = python .. ' has no module venv (Debian, Ubuntu: apt install python3-venv)'
      end
    elseif config.options.python then
      wrong[#wrong + 1] = python .. ', which setup() names, is not executable'
    end
  end
  return nil, #wrong > 0 and table.concat(wrong, '; ') or 'there is no Python on the PATH'
end

--- Where the commands of an installation write what they say.
function M.log()
  return vim.fn.stdpath('cache') .. '/relay-install.log'
end

--- Run commands one after the other, all that they say into the log; `done` gets the first that failed, or nil.
local function run(commands, done)
  local log = assert(io.open(M.log(), 'w'))
  local function write(_, lines)
    log:write(table.concat(lines, '\n'))
  end
  local function step(index)
    local command = commands[index]
    if not command then
      log:close()
      return done(nil)
    end
    log:write('\n> ' .. table.concat(command, ' ') .. '\n')
    vim.fn.jobstart(command, {
      cwd = M.folder,
      on_stdout = write,
      on_stderr = write,
      on_exit = function(_, code)
        if code == 0 then
          return step(index + 1)
        end
        log:close()
        done(command)
      end,
    })
  end
  step(1)
end

--- Install the server of the plugin's version and start it; with `anew` also where it is installed already.
function M.install(anew)
  local environment = M.folder .. '/' .. M.version
  local wheel, python, wrong = M.wheel(), nil, nil
  if wheel then
    python, wrong = M.python()
  end
  if installing then
    return say('relay-lsp is being installed already.')
  elseif not wheel then
    return say('This copy of the plugin brings no server: it does not come from an archive of a release. Name the server '
      .. "of a checkout: require('relay').setup({cmd = {'CHECKOUT/.venv/bin/relay-lsp', 'serve'}})", vim.log.levels.ERROR)
  elseif vim.fn.filereadable(environment .. '/installed') == 1 and not anew then
    return say(('relay-lsp %s is installed already; :RelayInstall! installs it anew.'):format(M.version))
  elseif not python then
    return say(('relay-lsp needs Python 3.10 to 3.13: %s. Install one, or name it: require(\'relay\').setup({python = …})'):format(
      wrong), vim.log.levels.ERROR)
  end

  installing = true
  say(('Installing relay-lsp %s with %s into %s'):format(M.version, python, environment))
  -- Nothing of an environment that is replaced may be in use.
  require('relay').stop(function()
    vim.fn.delete(environment, 'rf')
    vim.fn.mkdir(M.folder, 'p')
    vim.fn.mkdir(vim.fn.fnamemodify(M.log(), ':h'), 'p')
    run({
      { python, '-I', '-m', 'venv', environment },
      { program(environment, 'python'), '-I', '-m', 'pip', '--disable-pip-version-check', 'install', wheel },
      { program(environment, 'relay-lsp'), '--version' },
    }, function(failed)
      installing = false
      if failed then
        vim.fn.delete(environment, 'rf')
        say(('relay-lsp could not be installed: `%s` failed, and what it said is in %s. It needs the network, or a folder '
          .. 'of wheels (PIP_NO_INDEX=1 and PIP_FIND_LINKS=FOLDER in the environment).'):format(
          table.concat(failed, ' '), M.log()), vim.log.levels.ERROR)
      else
        vim.fn.writefile({ M.version }, environment .. '/installed')
        for _, other in ipairs(vim.fn.glob(M.folder .. '/*', true, true)) do
          if vim.fn.fnamemodify(other, ':t') ~= M.version then
            vim.fn.delete(other, 'rf')
          end
        end
        say(('relay-lsp %s is installed.'):format(M.version))
      end
      require('relay').start()
    end)
  end)
end

return M
