//! Strongly connected components.

/// The component of each node, named by its least node. `step` gives the first step from a node at or behind a position among its
/// steps: its position and where it leads. By Tarjan's algorithm, with a stack of its own: graphs may be deep.
pub(crate) fn components(nodes: usize, step: impl Fn(usize, usize) -> Option<(usize, usize)>) -> Vec<usize> {
    let (mut found, mut low, mut component) = (vec![usize::MAX; nodes], vec![0; nodes], vec![usize::MAX; nodes]);
    let (mut stack, mut path, mut time) = (Vec::new(), Vec::new(), 0);
    for root in 0..nodes {
        if found[root] != usize::MAX {
            continue;
        }
        path.push((root, 0));
        while let Some((node, mut next)) = path.pop() {
            if found[node] == usize::MAX {
                (found[node], low[node]) = (time, time);
                time += 1;
                stack.push(node);
            }
            let mut deeper = None;
            while let Some((at, to)) = step(node, next) {
                if found[to] == usize::MAX {
                    deeper = Some((at, to));
                    break;
                }
                if component[to] == usize::MAX {
                    low[node] = low[node].min(low[to]);
                }
                next = at + 1;
            }
            if let Some((at, to)) = deeper {
                // The same step is looked at again afterwards, and then counts.
                path.extend([(node, at), (to, 0)]);
            } else if low[node] == found[node] {
                let start = stack.iter().rposition(|&member| member == node).expect("the node is on the stack");
                let members = stack.split_off(start);
                let least = members.iter().copied().min().expect("a component has nodes");
                members.into_iter().for_each(|member| component[member] = least);
            }
        }
    }
    component
}
