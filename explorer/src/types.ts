// What a type says at a glance: the shapes of it, and how many bytes a value of it has.

const TENSOR = /Tensor\[\(([^()]*)\),\s*(\w+)\]/g;
const SCALAR = /^(?:bool|(?:u?int|b?float)\d+)$/;

/** The shapes of a type, such as `1×64×56×56`; the dtype where it is not float32. */
export function outputShape(type: string): string {
    const result = type.startsWith('fn ') ? type.slice(type.lastIndexOf('->') + 2) : type;
    const shapes = [...result.matchAll(TENSOR)].map(([, dimensions, dtype]) => {
        const shape = dimensions!.split(',').map(each => each.trim()).filter(Boolean).join('×') || 'scalar';
        return dtype === 'float32' ? shape : `${shape} ${dtype}`;
    });
    if (shapes.length === 0) {
        return SCALAR.test(result) ? result : '';
    }
    return shapes.length > 2 ? `${shapes[0]} and ${shapes.length - 1} more` : shapes.join(', ');
}

/** The bytes of a value: of the tensors of its type, those of unknown shape left out. */
export function bytesOf(type: string): number {
    if (type.startsWith('fn ')) {
        return 0;
    }
    let bytes = SCALAR.test(type) ? widthOf(type) : 0;
    for (const [, dimensions, dtype] of type.matchAll(TENSOR)) {
        const shape = dimensions!.split(',').map(each => each.trim()).filter(Boolean).map(Number);
        const size = shape.reduce((product, each) => product * each, 1) * widthOf(dtype!);
        bytes += Number.isFinite(size) ? size : 0;
    }
    return bytes;
}

/** Bytes of an element; part of one for types of fewer than eight bits. */
function widthOf(dtype: string): number {
    const bits = /(\d+)(?:x(\d+))?$/.exec(dtype);
    return dtype === 'bool' ? 1 : bits ? (Number(bits[1]) * Number(bits[2] ?? 1)) / 8 : 0;
}
