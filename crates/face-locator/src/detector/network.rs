//! A multilayer perceptron: from the descriptors of a candidate to a score and the way to the face.

use vectorised::vectorised_mut;

/// A score, and how far the face is to the right, further down, and larger.
pub(super) const OUTPUTS: usize = 4;

/// Neurons that are computed together: two registers of eight.
const LANES: usize = 16;

/// Candidates that a network looks at together: its weights, more than a processor's nearest memory holds, are fetched once for all.
pub(super) const TOGETHER: usize = 4;

/// A number for each of the candidates that are looked at together.
pub(super) type Each = [f32; TOGETHER];

/// A layer of neurons. Their weights stand side by side, so that the sum of each neuron is added up in the order of
/// its inputs while many neurons are computed at once: the result is the same to the last bit as one by one.
#[derive(Debug)]
pub(super) struct Layer {
    inputs: usize,
    outputs: usize,
    /// For each block of [`LANES`] neurons and each input, a weight for every neuron.
    weights: Vec<[f32; LANES]>,
    biases: Vec<f32>,
}

impl Layer {
    /// A layer from the weights of each neuron one after the other; `None` unless the numbers fit together.
    pub fn new(inputs: usize, weights: &[f32], biases: Vec<f32>) -> Option<Self> {
        let outputs = biases.len();
        if inputs == 0 || weights.len() != inputs * outputs {
            return None;
        }
        let mut side_by_side = vec![[0.0; LANES]; outputs.div_ceil(LANES) * inputs];
        for (neuron, own) in weights.chunks_exact(inputs).enumerate() {
            let block = &mut side_by_side[neuron / LANES * inputs..][..inputs];
            for (row, &weight) in block.iter_mut().zip(own) {
                row[neuron % LANES] = weight;
            }
        }
        Some(Self { inputs, outputs, weights: side_by_side, biases })
    }

    /// The weighted sums of all neurons.
    fn sums(&self, input: &[Each], sums: &mut Vec<Each>) {
        sums.clear();
        vectorised_mut(
            #[inline(always)]
            || {
                for block in self.weights.chunks_exact(self.inputs) {
                    // By name they stay in registers.
                    let [mut a, mut b, mut c, mut d] = [[0.0f32; LANES]; TOGETHER];
                    for (values, weights) in input.iter().zip(block) {
                        for (lane, weight) in weights.iter().enumerate() {
                            a[lane] += values[0] * weight;
                            b[lane] += values[1] * weight;
                            c[lane] += values[2] * weight;
                            d[lane] += values[3] * weight;
                        }
                    }
                    sums.extend((0..LANES).map(
                        #[inline(always)]
                        |lane| [a[lane], b[lane], c[lane], d[lane]],
                    ));
                }
            },
        );
        sums.truncate(self.outputs);
        for (sum, bias) in sums.iter_mut().zip(&self.biases) {
            *sum = sum.map(|sum| sum + bias);
        }
    }
}

/// Layers one after the other.
#[derive(Debug)]
pub(super) struct Network {
    hidden: Vec<Layer>,
    last: Layer,
}

/// Values before and after a layer.
#[derive(Debug, Default)]
pub(super) struct Memory {
    pub input: Vec<Each>,
    output: Vec<Each>,
}

impl Network {
    /// A network of these layers; `None` unless each takes what the one before gives, and the last gives [`OUTPUTS`].
    pub fn new(mut layers: Vec<Layer>) -> Option<Self> {
        if layers.windows(2).any(|pair| pair[0].outputs != pair[1].inputs) {
            return None;
        }
        Some(Self { last: layers.pop().filter(|last| last.outputs == OUTPUTS)?, hidden: layers })
    }

    /// Number of inputs of the network.
    pub fn inputs(&self) -> usize {
        self.hidden.first().unwrap_or(&self.last).inputs
    }

    /// The outputs of the network for the input in its memory, each number between 0 and 1.
    pub fn output(&self, memory: &mut Memory) -> [Each; OUTPUTS] {
        for layer in &self.hidden {
            layer.sums(&memory.input, &mut memory.output);
            for sum in memory.output.as_flattened_mut() {
                *sum = sum.max(0.0);
            }
            std::mem::swap(&mut memory.input, &mut memory.output);
        }
        self.last.sums(&memory.input, &mut memory.output);
        let mut output = [[0.0; TOGETHER]; OUTPUTS];
        for (value, sum) in output.as_flattened_mut().iter_mut().zip(memory.output.as_flattened()) {
            *value = 1.0 / (1.0 + libm::expf(-sum));
        }
        output
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_that_do_not_fit_are_refused() {
        let layer = |inputs: usize, outputs: usize| {
            Layer::new(inputs, &vec![0.5; inputs * outputs], vec![0.0; outputs]).unwrap()
        };
        assert!(Network::new(vec![layer(7, 40), layer(40, OUTPUTS)]).is_some());
        assert!(Network::new(vec![layer(7, 40), layer(39, OUTPUTS)]).is_none());
        assert!(Network::new(vec![layer(7, 3)]).is_none());
        assert!(Network::new(Vec::new()).is_none());
        assert!(Layer::new(3, &[0.0; 7], vec![0.0; 2]).is_none());
    }

    #[test]
    fn sums_are_those_of_one_neuron_after_the_other() {
        let (inputs, outputs) = (57, 70);
        let number = |at: usize| ((at * 7919) % 101) as f32 / 37.0 - 1.3;
        let weights: Vec<f32> = (0..inputs * outputs).map(number).collect();
        let biases: Vec<f32> = (0..outputs).map(|at| number(at + 5)).collect();
        let input: Vec<Each> =
            (0..inputs).map(|at| std::array::from_fn(|candidate| number(at + 11 + 5 * candidate))).collect();
        let sum_of = |own: &[f32], candidate: usize| own.iter().zip(&input).map(|(w, x)| w * x[candidate]).sum::<f32>();
        let expected: Vec<Each> = weights
            .chunks(inputs)
            .zip(&biases)
            .map(|(own, bias)| std::array::from_fn(|candidate| sum_of(own, candidate) + bias))
            .collect();
        let mut sums = Vec::new();
        Layer::new(inputs, &weights, biases).unwrap().sums(&input, &mut sums);
        assert_eq!(sums, expected);
    }
}
