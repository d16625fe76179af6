//! Encrypted connections, by rustls.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};

use crate::error::DatabaseProblem;

pub(super) use tokio_postgres_rustls::MakeRustlsConnect as Connector;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Trust {
    /// Whoever answers, as libpq has it unless asked to verify: nobody can listen in, but somebody could pose as the
    /// server (not without being noticed, where it asks for a password by SCRAM: that is bound to the certificate).
    Anybody,
    /// A server whose certificate for its name goes back to one in this PEM file, or to one that the system trusts.
    Certified(Option<PathBuf>),
}

impl Trust {
    /// Makes connections encrypted ones.
    ///
    /// # Errors
    /// Certificates that cannot be read.
    pub fn connector(&self) -> Result<Connector, DatabaseProblem> {
        let provider = Arc::new(ring::default_provider());
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(|error| DatabaseProblem::NoEncryption {
                reason: error.to_string(),
            })?;
        let config = match self {
            Self::Anybody => builder
                .dangerous()
                .with_custom_certificate_verifier(Arc::new(Unverified(provider)))
                .with_no_client_auth(),
            Self::Certified(roots) => {
                let roots = roots_in(roots.as_deref())?;
                builder.with_root_certificates(roots).with_no_client_auth()
            }
        };
        Ok(Connector::new(config))
    }
}

/// The certificates in a PEM file, or those of the system.
fn roots_in(path: Option<&Path>) -> Result<RootCertStore, DatabaseProblem> {
    let mut store = RootCertStore::empty();
    let Some(path) = path else {
        store.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        return Ok(store);
    };
    let refuse = |reason: String| DatabaseProblem::Certificates {
        path: path.display().to_string(),
        reason,
    };
    let found = CertificateDer::pem_file_iter(path).map_err(|error| refuse(error.to_string()))?;
    for certificate in found {
        let certificate = certificate.map_err(|error| refuse(error.to_string()))?;
        store
            .add(certificate)
            .map_err(|error| refuse(error.to_string()))?;
    }
    if store.is_empty() {
        return Err(refuse("it holds none".to_owned()));
    }
    Ok(store)
}

/// Takes any certificate; whoever shows it must hold its key all the same.
#[derive(Debug)]
struct Unverified(Arc<CryptoProvider>);

impl ServerCertVerifier for Unverified {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
