//! Photos that somebody should look at.

/// Photos of the folder that a person should look at.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Suspects {
    /// Pairs of photos that are nearly or exactly the same picture, under different people; the most alike
    /// first.
    pub duplicates: Vec<Duplicate>,
    /// Photos that are probably of another person, the surest first.
    pub mislabelled: Vec<Mislabelled>,
    /// Faces nearer to another person than to their own, without being probably mislabelled, in their order.
    pub unclear: Vec<usize>,
    /// Photos that do not look like a face, the least face-like first.
    pub not_faces: Vec<NotAFaceSuspect>,
    /// People whose photos clearly show several people, in their order.
    pub several_people: Vec<SeveralPeople>,
}

/// A person whose photos clearly show several people.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SeveralPeople {
    /// The person.
    pub person: usize,
    /// Number of faces.
    pub faces: usize,
    /// The mean score of pairs of these faces ([`unity`](crate::grouping::unity)).
    pub score: f64,
}

/// Two photos that are nearly the same picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Duplicate {
    /// One face, of the lower position.
    pub first: usize,
    /// The other.
    pub second: usize,
    /// Correlation of their pixels: 1 is the same picture up to brightness and contrast.
    pub correlation: f64,
}

/// A photo that looks like another person's: left out, it is named as another with a confidence of more
/// than one half (or, with too few people for a confidence, is nearest to another).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mislabelled {
    /// The face.
    pub face: usize,
    /// The person it looks like.
    pub nearest: usize,
    /// Distance to its own person's other photos.
    pub own_distance: f64,
    /// Distance to the person it looks like.
    pub nearest_distance: f64,
    /// Probability that it is that person.
    pub confidence: f64,
}

/// A photo that does not look like a face.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NotAFaceSuspect {
    /// The face.
    pub face: usize,
    /// The face score, -1 to 1.
    pub face_score: f64,
    /// The face score that is asked for.
    pub limit: f64,
}
