// The page as one file: script and styles stand in it, and a content security policy admits nothing else.
import { createHash } from 'node:crypto';
import type { Plugin } from 'vite';
import { defineConfig } from 'vite';

/** Inline what the bundler made, and admit exactly this script. */
function oneFile(): Plugin {
    return {
        name: 'one-file',
        enforce: 'post',
        generateBundle(_, bundle) {
            const page = bundle['index.html'];
            if (page?.type !== 'asset') {
                throw new Error('there is no index.html in the bundle');
            }
            let [script, styles] = ['', ''];
            for (const [name, part] of Object.entries(bundle)) {
                if (part.type === 'chunk') {
                    script += part.code;
                } else if (name.endsWith('.css')) {
                    styles += String(part.source);
                } else {
                    continue;
                }
                delete bundle[name];
            }
            // Neither may end its element.
            script = script.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
            styles = styles.replaceAll('</style', '<\\/style');
            const hash = createHash('sha256').update(script).digest('base64');
            page.source = String(page.source)
                .replace(/\s*<script type="module"[^>]*><\/script>/, '')
                .replace(/\s*<link rel="stylesheet"[^>]*>/, '')
                .replace('SCRIPT_HASH', () => `sha256-${hash}`)
                .replace('</head>', () => `<style>${styles}</style>\n</head>`)
                .replace('</body>', () => `<script type="module">${script}</script>\n</body>`);
        },
    };
}

export default defineConfig({
    base: './',
    build: {
        outDir: '../server/explorer/built',
        emptyOutDir: true,
        modulePreload: false,
        cssCodeSplit: false,
        target: 'es2022',
        chunkSizeWarningLimit: 2000,
    },
    plugins: [oneFile()],
});
