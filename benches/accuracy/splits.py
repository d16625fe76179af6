"""The folds of `eigenfaces evaluate`, made again: who is learned from and who is tried, as src/evaluate/split.rs deals them."""

MASK = (1 << 64) - 1
STRANGER_PARTS, DEALS = 4, 2


class Noise:
    """SplitMix64, as crates/symmetric-eigen/src/random.rs has it."""

    def __init__(self, seed):
        self.state = (seed * 0xD1342543DE82EF95 + 0x2545F4914F6CDD1D) & MASK

    def below(self, bound):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        z ^= z >> 31
        even = ((z >> 11) + 0.5) / (1 << 52) - 1
        return min(int((even + 1) / 2 * bound), bound - 1)

    def shuffled(self, count):
        items = list(range(count))
        for last in range(count - 1, 0, -1):
            other = self.below(last + 1)
            items[last], items[other] = items[other], items[last]
        return items


class Splits:
    """Of the faces of a model, in its order."""

    def __init__(self, labels, faces):
        self.people = sorted(set(labels), key=list(labels).index)
        self.person = [self.people.index(label) for label in labels]
        self.pixels = [bytes(face) for face in faces]
        self.counts = [self.person.count(at) for at in range(len(self.people))]
        self.starts = [sum(self.counts[:at]) for at in range(len(self.people))]

    def ranks(self, noise):
        return [rank for count in self.counts for rank in noise.shuffled(count)]

    def settled(self, learned, tried):
        """Twins of tried faces are not learned from; whoever has nothing left to learn from is not tried."""
        twins = {(self.person[face], self.pixels[face]) for face in tried}
        learned = [face for face in learned if (self.person[face], self.pixels[face]) not in twins]
        left = {self.person[face] for face in learned}
        return learned, [face for face in tried if self.person[face] in left]

    def split(self, faces, is_tried):
        return self.settled([face for face in faces if not is_tried(face)], [face for face in faces if is_tried(face)])

    def closed(self, protocol):
        """(learned, tried) of each fold of `first:N` or `k-fold:K`, by the seed 0."""
        kind, number = protocol.split(":")
        everybody = range(len(self.person))
        if kind == "first":
            return [self.split(everybody, lambda face: face - self.starts[self.person[face]] >= int(number))]
        ranks = self.ranks(Noise(0))
        part = [(self.starts[self.person[face]] + ranks[face]) % int(number) for face in everybody]
        folds = [self.split(everybody, lambda face, own=own: part[face] == own) for own in range(int(number))]
        return [fold for fold in folds if fold[1]]

    def open(self):
        """(learned, tried, strangers) of each split of people, by the seed 0."""
        noise = Noise(0)
        for _ in range(DEALS):
            order = noise.shuffled(len(self.people))
            ranks = self.ranks(noise)
            for part in range(STRANGER_PARTS):
                is_stranger = lambda face: order[self.person[face]] % STRANGER_PARTS == part
                faces = range(len(self.person))
                learned, tried = self.split(
                    [face for face in faces if not is_stranger(face)],
                    lambda face: ranks[face] >= -(-self.counts[self.person[face]] // 2),
                )
                yield learned, tried, [face for face in faces if is_stranger(face)]
