//! Directed graphs on numbers: components, and orders. Nothing here knows what the numbers stand for.

use std::collections::BTreeSet;

/// The component of each node, as a number that means nothing else: nodes are in one component if they reach each other. By Tarjan's
/// algorithm, with a stack of its own.
pub(super) fn components(nodes: usize, edges: impl IntoIterator<Item = (usize, usize)>) -> Vec<usize> {
    let next = successors(nodes, edges);
    let (mut found, mut low, mut component) = (vec![usize::MAX; nodes], vec![0; nodes], vec![usize::MAX; nodes]);
    let (mut stack, mut path, mut time, mut count) = (Vec::new(), Vec::new(), 0, 0);
    for root in 0..nodes {
        if found[root] == usize::MAX {
            path.push((root, 0));
        }
        while let Some((node, at)) = path.pop() {
            if found[node] == usize::MAX {
                (found[node], low[node]) = (time, time);
                time += 1;
                stack.push(node);
            }
            let open = |to: &usize| component[*to] == usize::MAX;
            if let Some(step) = next[node][at..].iter().position(|to| found[*to] == usize::MAX) {
                // The step is looked at again afterwards, and then counts.
                path.extend([(node, at + step), (next[node][at + step], 0)]);
                for &to in next[node][at..at + step].iter().filter(|to| open(to)) {
                    low[node] = low[node].min(low[to]);
                }
                continue;
            }
            for &to in next[node][at..].iter().filter(|to| open(to)) {
                low[node] = low[node].min(low[to]);
            }
            if low[node] == found[node] {
                while let Some(member) = stack.pop() {
                    component[member] = count;
                    if member == node {
                        break;
                    }
                }
                count += 1;
            }
        }
    }
    component
}

/// The nodes in an order in which all edges lead forwards; of several that may be next, the one with the least priority. `None` if there
/// is a cycle.
pub(super) fn order<P: Ord + Copy>(
    nodes: usize,
    edges: impl IntoIterator<Item = (usize, usize)>,
    priority: impl Fn(usize) -> P,
) -> Option<Vec<usize>> {
    let next = successors(nodes, edges);
    let mut before = vec![0usize; nodes];
    next.iter().flatten().for_each(|&to| before[to] += 1);
    let mut ready: BTreeSet<(P, usize)> =
        (0..nodes).filter(|&node| before[node] == 0).map(|node| (priority(node), node)).collect();
    let mut found = Vec::with_capacity(nodes);
    while let Some((_, node)) = ready.pop_first() {
        found.push(node);
        for &to in &next[node] {
            before[to] -= 1;
            if before[to] == 0 {
                ready.insert((priority(to), to));
            }
        }
    }
    (found.len() == nodes).then_some(found)
}

/// The nodes that each node leads to, itself left out.
fn successors(nodes: usize, edges: impl IntoIterator<Item = (usize, usize)>) -> Vec<Vec<usize>> {
    let edges: BTreeSet<(usize, usize)> = edges.into_iter().filter(|(from, to)| from != to).collect();
    let mut next = vec![Vec::new(); nodes];
    edges.into_iter().for_each(|(from, to)| next[from].push(to));
    next
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_that_reach_each_other_are_one_component() {
        let component = components(5, [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4)]);
        assert_eq!(component[0], component[1]);
        assert_eq!(component[0], component[2]);
        assert_ne!(component[2], component[3]);
        assert_ne!(component[3], component[4]);
    }

    #[test]
    fn an_order_follows_edges_first_and_priority_second() {
        assert_eq!(order(4, [(3, 0), (3, 1)], |node| node), Some(vec![2, 3, 0, 1]));
        assert_eq!(order(2, [(0, 1), (1, 0)], |node| node), None);
    }
}
