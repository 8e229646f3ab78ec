export function comparePage() { return { title: "compare", facts: [], warnings: [], sections: [] }; }
