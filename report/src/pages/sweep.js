export function sweepPage() { return { title: "sweep", facts: [], warnings: [], sections: [] }; }
