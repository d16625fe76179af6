//! Checks before a server is believed: encryption as the address has it, and no password for whoever asks for it
//! in a way that gives it away.
//!
//! Whoever answers in a server's place, on this machine any process that got the port, may ask for the password in the
//! clear, or for a digest of it (MD5) that can be passed on or guessed from. SCRAM gives nothing away. The client has no
//! setting for that and answers whatever it is asked, so the first message about authentication is looked at on its way
//! to it.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use postgres::Socket;
use postgres::config::SslMode;
use postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};

use super::authentication::{FirstRequest, Methods};
use super::tls::Connector;

/// Asks for an encrypted connection: the message's length, 8, and the code that stands for it.
const REQUEST_ENCRYPTION: [u8; 8] = [0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f];

type Encrypted = <Connector as MakeTlsConnect<Socket>>::Stream;

/// Makes connections: encrypted ones or not, as the mode says, and guarded ones. The client takes it for encryption that
/// begins at once (`SslNegotiation::Direct`), so all is done here.
#[derive(Clone)]
pub(super) struct Handshake {
    pub tls: Connector,
    pub mode: SslMode,
    /// Whether TLS begins without being asked for.
    pub direct: bool,
    /// Methods by which a server may ask for authentication.
    pub accepted: Methods,
}

/// The reason why there is no connection, where it is not the server that gives it.
#[derive(Debug, thiserror::Error)]
pub(super) enum HandshakeError {
    #[error("{0}")]
    Lost(io::Error),
    #[error("the server does not support TLS")]
    NotEncrypted,
    #[error("{0}")]
    Tls(Box<dyn std::error::Error + Send + Sync>),
}

impl MakeTlsConnect<Socket> for Handshake {
    type Stream = Guarded;
    type TlsConnect = ToHost;
    type Error = <Connector as MakeTlsConnect<Socket>>::Error;

    fn make_tls_connect(&mut self, host: &str) -> Result<Self::TlsConnect, Self::Error> {
        Ok(ToHost {
            tls: MakeTlsConnect::<Socket>::make_tls_connect(&mut self.tls, host)?,
            handshake: self.clone(),
        })
    }
}

/// A [`Handshake`] with one host.
pub(super) struct ToHost {
    tls: <Connector as MakeTlsConnect<Socket>>::TlsConnect,
    handshake: Handshake,
}

impl TlsConnect<Socket> for ToHost {
    type Stream = Guarded;
    type Error = HandshakeError;
    type Future = Pin<Box<dyn Future<Output = Result<Guarded, HandshakeError>> + Send>>;

    fn connect(self, mut stream: Socket) -> Self::Future {
        let Handshake {
            mode,
            direct,
            accepted,
            ..
        } = self.handshake;
        Box::pin(async move {
            let is_encrypted = direct
                || mode != SslMode::Disable
                    && grants_encryption(&mut stream)
                        .await
                        .map_err(HandshakeError::Lost)?;
            let channel = if is_encrypted {
                let encrypted = self.tls.connect(stream).await;
                let encrypted = encrypted.map_err(|error| HandshakeError::Tls(error.into()))?;
                Channel::Encrypted(Box::new(encrypted))
            } else if mode == SslMode::Require {
                return Err(HandshakeError::NotEncrypted);
            } else {
                Channel::Plain(stream)
            };
            Ok(Guarded {
                channel,
                request: Some(FirstRequest::default()),
                accepted,
            })
        })
    }
}

/// Asks the server whether it encrypts. Its answer is one byte; nothing after that is read, for it would not be encrypted.
async fn grants_encryption(stream: &mut Socket) -> io::Result<bool> {
    stream.write_all(&REQUEST_ENCRYPTION).await?;
    stream.flush().await?;
    Ok(stream.read_u8().await? == b'S')
}

enum Channel {
    Plain(Socket),
    Encrypted(Box<Encrypted>),
}

/// A connection that ends when the server asks for the password in a way that is not accepted.
pub(super) struct Guarded {
    channel: Channel,
    /// Until the server has said how it wants to know who we are.
    request: Option<FirstRequest>,
    accepted: Methods,
}

macro_rules! on_channel {
    ($self:ident, $method:ident $(, $argument:expr)*) => {
        match &mut $self.get_mut().channel {
            Channel::Plain(stream) => Pin::new(stream).$method($($argument),*),
            Channel::Encrypted(stream) => Pin::new(stream).$method($($argument),*),
        }
    };
}

impl AsyncRead for Guarded {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let this = self.as_mut();
        ready!(on_channel!(this, poll_read, context, buffer))?;
        let this = self.get_mut();
        let read = buffer.filled().get(before..).unwrap_or_default();
        if let Some(request) = &mut this.request
            && let Some(method) = request.look_at(read)?
        {
            this.request = None;
            this.accepted.check(method).map_err(io::Error::other)?;
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Guarded {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        on_channel!(self, poll_write, context, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        on_channel!(self, poll_flush, context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        on_channel!(self, poll_shutdown, context)
    }
}

impl TlsStream for Guarded {
    fn channel_binding(&self) -> ChannelBinding {
        match &self.channel {
            Channel::Plain(_) => ChannelBinding::none(),
            Channel::Encrypted(stream) => stream.channel_binding(),
        }
    }
}
