//! The one way to read a column. Whoever may write to the database can put anything there, or nothing.

use std::fmt::Display;

use tokio_postgres::Row;
use tokio_postgres::row::RowIndex;
use tokio_postgres::types::FromSql;

use super::in_words;
use crate::error::DatabaseProblem;

/// The value of a column.
/// Errors: [`DatabaseProblem::Invalid`] where it has none, or one of another type.
pub(super) fn column<'a, T: FromSql<'a>>(row: &'a Row, column: impl RowIndex + Display) -> Result<T, DatabaseProblem> {
    let name = column.to_string();
    row.try_get(column).map_err(|error| DatabaseProblem::invalid(format!("column {name}: {}", in_words(&error))))
}

pub(super) fn first<'a, T: FromSql<'a>, C: FromIterator<T>>(rows: &'a [Row]) -> Result<C, DatabaseProblem> {
    rows.iter().map(|row| column(row, 0)).collect()
}

pub(super) fn pairs<'a, A: FromSql<'a>, B: FromSql<'a>, C: FromIterator<(A, B)>>(
    rows: &'a [Row],
) -> Result<C, DatabaseProblem> {
    let pair = |row: &'a Row| Ok((column(row, 0)?, column(row, 1)?));
    rows.iter().map(pair).collect()
}
