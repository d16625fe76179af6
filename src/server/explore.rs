//! The theory of the gallery, for the page to draw: mean face, basis faces, spectrum, weights.

use axum::Json;
use axum::extract::{Path as UrlPath, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use eigenfaces::face_matrix::FaceMatrix;
use eigenfaces::{Model, render};
use serde::Deserialize;
use serde_json::{Value, json};

use super::answer::png;
use super::body::{RequestParts, decode};
use super::extract::UrlQuery;
use super::failure::{Answer, Failure};
use super::service::Shared;

pub async fn space(State(service): Shared) -> Answer<Json<Value>> {
    let object = service.ask(|model| {
        let space = model.recognizer().space();
        Ok(json!({
            "width": space.size().width(),
            "height": space.size().height(),
            "components": space.components(),
            "eigenvalues": space.eigenvalues(),
            "shares": space.variance_ratios(),
            "total_variance": space.total_variance(),
        }))
    });
    Ok(Json(object.await?))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct First {
    first: Option<usize>,
}

/// The mean face and the first basis faces as numbers: 32-bit floating point, little-endian, one face after the other.
pub async fn numbers(State(service): Shared, UrlQuery(asked): UrlQuery<First>) -> Answer<Response> {
    let bytes = service.ask(move |model| {
        let space = model.recognizer().space();
        let first = asked.first.unwrap_or(usize::MAX).min(space.components());
        let mean = space.mean().iter().map(|&value| value as f32);
        let basis = space.basis().column_iter().take(first).flat_map(|face| face.iter().copied().collect::<Vec<f32>>());
        Ok(mean.chain(basis).flat_map(f32::to_le_bytes).collect::<Vec<u8>>())
    });
    Ok(([(header::CONTENT_TYPE, "application/octet-stream")], bytes.await?).into_response())
}

/// A basis face as a picture: mid-gray is zero.
pub async fn basis_face(State(service): Shared, UrlPath(number): UrlPath<usize>) -> Answer<Response> {
    let work = move |model: &Model| {
        let space = model.recognizer().space();
        let at = number.checked_sub(1).filter(|&at| at < space.components());
        let at = at.ok_or_else(|| Failure::not_found(format!("there are basis faces 1 to {}", space.components())))?;
        let face: Vec<f32> = space.basis().column(at).iter().copied().collect();
        png(&render::signed(space.size(), &face).into())
    };
    service.ask(work).await
}

pub async fn mean(State(service): Shared) -> Answer<Response> {
    let work = |model: &Model| {
        let space = model.recognizer().space();
        let mean: Vec<f32> = space.mean().iter().map(|&value| value as f32).collect();
        png(&render::gray(space.size(), &mean).into())
    };
    service.ask(work).await
}

/// Weights of a face to a tenth of a gray level.
fn rounded(weights: impl Iterator<Item = f32>) -> Vec<f64> {
    weights.map(|weight| (f64::from(weight) * 10.0).round() / 10.0).collect()
}

pub async fn weights(State(service): Shared, UrlQuery(asked): UrlQuery<First>) -> Answer<Json<Value>> {
    let object = service.ask(move |model| {
        let recognizer = model.recognizer();
        let (gallery, first) = (recognizer.gallery(), asked.first.unwrap_or(usize::MAX));
        let faces = gallery.enrolled().iter().zip(recognizer.weights().column_iter());
        let faces = faces.map(|(face, weights)| {
            json!({
                "person": gallery.people()[face.person].as_str(),
                "hash": face.hash.to_string(),
                "weights": rounded(weights.iter().copied().take(first)),
            })
        });
        Ok(json!({ "faces": faces.collect::<Vec<Value>>() }))
    });
    Ok(Json(object.await?))
}

pub async fn project(State(service): Shared, mut parts: RequestParts) -> Answer<Json<Value>> {
    let photo = parts.take("file")?;
    let object = service.ask(move |model| {
        let recognizer = model.recognizer();
        let (space, preparation) = (recognizer.space(), recognizer.preparation());
        let mut faces = Vec::new();
        for face in preparation.prepare_all(decode(&photo)?.luma())? {
            let weights = space.project(&FaceMatrix::from_pixels(preparation.size(), face.pixels.clone())?);
            faces.push(json!({
                "pixels": face.pixels,
                "weights": rounded(weights.iter().copied()),
                "residual": space.residual(&face.pixels, weights.as_slice()).distance,
            }));
        }
        Ok(json!({ "faces": faces }))
    });
    Ok(Json(object.await?))
}
