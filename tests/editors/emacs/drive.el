;;; drive.el --- Drive Eglot with the recipe of docs/editors.md  -*- lexical-binding: t -*-
;; usage: emacs --batch -l drive.el   (with RELAY_WORK and the recipe in RELAY_WORK/recipe.el)
(require 'eglot)
(require 'flymake)
(require 'json)
;; Eglot asks a person whether the server may edit.
(setq eglot-sync-connect t eglot-connect-timeout 60 eglot-confirm-server-initiated-edits nil)
(defvar work (getenv "RELAY_WORK"))
(load (expand-file-name "recipe.el" work))

(defun relay-until (what condition)
  (let ((end (+ (float-time) 30)) found)
    (while (not (setq found (funcall condition)))
      (when (> (float-time) end) (error "waited in vain for %s" what))
      (accept-process-output nil 0.05))
    found))

;; In batch mode no command loop runs the hook that would connect.
(defun relay-open (name)
  (find-file (expand-file-name name work))
  (unless (eglot-current-server) (apply #'eglot (eglot--guess-contact)))
  (unless eglot--managed-mode (eglot--managed-mode 1)))

(defun relay-hover ()
  (format "%s" (jsonrpc-request (eglot--current-server-or-lose) :textDocument/hover
                                (eglot--TextDocumentPositionParams))))

(defun relay-action (actions title)
  (or (seq-find (lambda (action) (string-match-p title (plist-get action :title))) (append actions nil))
      (error "no %s among %s" title (mapcar (lambda (action) (plist-get action :title)) (append actions nil)))))

(defvar report nil)
(defun relay-note (key value) (push (cons key value) report))

;; 1. A broken file: the diagnostic, what hovering tells, where a name is defined, and the fix.
(relay-open "broken.relay")
(relay-note 'mode (symbol-name major-mode))
(flymake-mode 1)
(flymake-start)
(let ((diagnostic (car (relay-until "a diagnostic" #'flymake-diagnostics))))
  (relay-note 'place (buffer-substring-no-properties
                      (flymake-diagnostic-beg diagnostic) (flymake-diagnostic-end diagnostic)))
  (relay-note 'message (flymake-diagnostic-text diagnostic))
  (goto-char (point-min))
  (search-forward "add(%0")
  (backward-char 1)
  (relay-note 'hover (relay-hover))
  (let ((definition (car (xref-backend-definitions 'eglot (xref-backend-identifier-at-point 'eglot)))))
    (relay-note 'definition (xref-location-line (xref-item-location definition))))
  (goto-char (flymake-diagnostic-beg diagnostic))
  (let ((fix (relay-action (eglot-code-actions (flymake-diagnostic-beg diagnostic)
                                               (flymake-diagnostic-end diagnostic) "quickfix")
                           "nn\\.relu")))
    (eglot--apply-workspace-edit (plist-get fix :edit))
    (relay-note 'fixed (buffer-string))))
(set-buffer-modified-p nil)

;; 2. A pass as a code action, and one undo.
(relay-open "batch_norm.relay")
(buffer-enable-undo)
(let* ((before (buffer-string))
       ;; Which passes would change the buffer is worked out one by one: the list grows.
       (pass (relay-until "the pass among the actions"
                          (lambda ()
                            (seq-find (lambda (action) (string-match-p "SimplifyInference$" (plist-get action :title)))
                                      (append (eglot-code-actions (point-min) (point-max) "refactor.rewrite.relay")
                                              nil)))))
       (command (plist-get pass :command)))
  (undo-boundary)
  (eglot-execute-command (eglot--current-server-or-lose) (intern (plist-get command :command))
                         (plist-get command :arguments))
  (relay-until "the pass" (lambda () (not (string-match-p "batch_norm(" (buffer-string)))))
  (relay-note 'passed (buffer-string))
  (undo-boundary)
  (undo)
  (relay-note 'undone (if (equal (buffer-string) before) t :json-false)))
(set-buffer-modified-p nil)

(with-temp-file (expand-file-name "report.json" work)
  (set-buffer-multibyte t)
  (insert (json-encode report)))
(kill-emacs 0)
