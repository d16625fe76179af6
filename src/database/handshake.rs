//! Checks before a server is believed: encryption as the address has it, and no password for whoever asks for it
//! in a way that gives it away.
//!
//! Whoever answers in a server's place, on this machine any process that got the port, may ask for the password in the
//! clear, or for a digest of it (MD5) that can be passed on or guessed from. SCRAM gives nothing away. Of the client's
//! settings only `channel_binding=require` refuses the former, and it refuses SCRAM without TLS too; so the server's first
//! message is looked at on its way to the client.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio_postgres::Socket;
use tokio_postgres::config::SslMode;
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use tokio_util::either::Either;

use super::authentication::Methods;
use super::tls::Connector;

/// Asks for an encrypted connection: the message's length, 8, and the code that stands for it.
const REQUEST_ENCRYPTION: [u8; 8] = [0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f];

/// Makes connections: encrypted ones or not, as the mode says, and guarded ones. The client takes it for encryption that
/// begins at once (`SslNegotiation::Direct`), so all is done here.
#[derive(Clone)]
pub(super) struct Handshake<Tls = Connector> {
    pub tls: Tls,
    pub mode: SslMode,
    /// Whether TLS begins without being asked for.
    pub direct: bool,
    /// Methods by which a server may ask for authentication.
    pub accepted: Methods,
}

type ToHost = <Connector as MakeTlsConnect<Socket>>::TlsConnect;

impl MakeTlsConnect<Socket> for Handshake {
    type Stream = Guarded;
    type TlsConnect = Handshake<ToHost>;
    type Error = <Connector as MakeTlsConnect<Socket>>::Error;

    fn make_tls_connect(&mut self, host: &str) -> Result<Self::TlsConnect, Self::Error> {
        let Self {
            mode,
            direct,
            accepted,
            ..
        } = *self;
        Ok(Handshake {
            tls: MakeTlsConnect::<Socket>::make_tls_connect(&mut self.tls, host)?,
            mode,
            direct,
            accepted,
        })
    }
}

impl TlsConnect<Socket> for Handshake<ToHost> {
    type Stream = Guarded;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Guarded>> + Send>>;

    fn connect(self, mut stream: Socket) -> Self::Future {
        Box::pin(async move {
            let is_encrypted = self.direct
                || self.mode != SslMode::Disable && grants_encryption(&mut stream).await?;
            let channel = if is_encrypted {
                Either::Right(Box::new(self.tls.connect(stream).await?))
            } else if self.mode == SslMode::Require {
                return Err(io::Error::other("the server does not support TLS"));
            } else {
                Either::Left(stream)
            };
            Ok(Guarded {
                channel,
                request: Vec::new(),
                accepted: self.accepted,
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

/// A connection that ends when the server asks for the password in a way that is not accepted.
pub(super) struct Guarded {
    channel: Either<Socket, Box<<Connector as MakeTlsConnect<Socket>>::Stream>>,
    /// The first bytes that the server sent: how it wants to know who we are. The client ends where it sends something
    /// else first.
    request: Vec<u8>,
    accepted: Methods,
}

impl Guarded {
    /// A message's kind (`R`), its length, and the number of the method.
    const REQUEST: usize = 9;

    fn look_at(&mut self, read: &[u8]) -> io::Result<()> {
        let missing = Self::REQUEST - self.request.len();
        if missing > 0 {
            self.request.extend(read.iter().take(missing));
            if let [b'R', _, _, _, _, code @ ..] = self.request.as_slice()
                && let Ok(code) = code.try_into()
            {
                let method = u32::from_be_bytes(code);
                self.accepted.check(method).map_err(io::Error::other)?;
            }
        }
        Ok(())
    }
}

impl AsyncRead for Guarded {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.channel).poll_read(context, buffer))?;
        let read = buffer.filled().get(before..).unwrap_or_default();
        Poll::Ready(self.look_at(read))
    }
}

impl AsyncWrite for Guarded {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.channel).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.channel).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.channel).poll_shutdown(context)
    }
}

impl TlsStream for Guarded {
    fn channel_binding(&self) -> ChannelBinding {
        match &self.channel {
            Either::Left(_) => ChannelBinding::none(),
            Either::Right(encrypted) => encrypted.channel_binding(),
        }
    }
}
