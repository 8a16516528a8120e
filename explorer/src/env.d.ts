declare module '*.css';

declare module '*?worker&inline' {
    const Made: new () => Worker;
    export default Made;
}
