//! A PostgreSQL server of a test's own, from the packages of the system.

use std::fs;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::scratch;

/// How long a server may take to start.
const PATIENCE: Duration = Duration::from_secs(120);

/// Who is let in how.
const WHO: &str =
    "local all postgres trust\nhost all postgres 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n";

/// A server in a folder that vanishes, on a port of this machine only. It ends with the value.
pub struct Server {
    folder: tempfile::TempDir,
    programs: PathBuf,
    user: Option<(u32, u32)>,
    port: u16,
    process: Option<Child>,
}

impl Server {
    /// Starts one; `None`, said in a line, where the system has no PostgreSQL with pgvector.
    pub fn start() -> Option<Self> {
        let Some(programs) = programs(true) else {
            eprintln!(
                "skipped: no PostgreSQL with pgvector here (Debian: postgresql-N-pgvector; .ci/postgres installs it)"
            );
            return None;
        };
        Self::start_from(programs)
    }

    /// Starts one from these programs; `None`, said in a line, where nobody but root is there to run it.
    pub fn start_from(programs: PathBuf) -> Option<Self> {
        let user = match unprivileged() {
            Ok(user) => user,
            Err(()) => {
                eprintln!("skipped: PostgreSQL refuses to run as root, and no other user is here");
                return None;
            }
        };
        let folder = scratch();
        if let Some((uid, gid)) = user {
            chown(folder.path(), Some(uid), Some(gid)).unwrap();
        }
        let mut server = Self { folder, programs, user, port: 0, process: None };
        let made = server
            .command("initdb")
            .args(["--no-sync", "-U", "postgres", "-A", "trust", "--encoding", "UTF8"])
            .args(["--locale", "C", "-D"])
            .arg(server.data())
            .output()
            .unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        fs::write(server.data().join("pg_hba.conf"), WHO).unwrap();
        server.run();
        Some(server)
    }

    /// Goes on, on the same port as before if there was one.
    pub fn run(&mut self) {
        if self.port == 0 {
            let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
            self.port = free.local_addr().unwrap().port();
        }
        let log = fs::File::create(self.folder.path().join("log")).unwrap();
        let process = self
            .command("postgres")
            .arg("-D")
            .arg(self.data())
            .args(["-p", &self.port.to_string(), "-c", "fsync=off", "-c"])
            .args(["listen_addresses=127.0.0.1", "-k"])
            .arg(self.folder.path())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .unwrap();
        self.process = Some(process);
        let started = Instant::now();
        while self.try_client("postgres").is_err() {
            let log = fs::read_to_string(self.folder.path().join("log")).unwrap();
            assert!(started.elapsed() < PATIENCE, "{log}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Ends at once, as if the machine had failed: nothing is tidied up.
    pub fn crash(&mut self) {
        let stopped = self.command("pg_ctl").args(["stop", "-m", "immediate", "-D"]).arg(self.data()).output();
        assert!(stopped.unwrap().status.success());
        self.process.take().unwrap().wait().unwrap();
    }

    /// Reads its settings again.
    pub fn set(&self, settings: &str) {
        let path = self.data().join("postgresql.auto.conf");
        fs::write(path, settings).unwrap();
        self.client("postgres").batch_execute("SELECT pg_reload_conf()").unwrap();
    }

    /// Puts a file there that the server may read and nobody else.
    pub fn give(&self, name: &str, content: &[u8]) -> PathBuf {
        use std::os::unix::fs::PermissionsExt as _;
        let path = self.folder.path().join(name);
        fs::write(&path, content).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        if let Some((uid, gid)) = self.user {
            chown(&path, Some(uid), Some(gid)).unwrap();
        }
        path
    }

    /// A new database, with pgvector in it; its address.
    pub fn database(&self, name: &str) -> String {
        let create = format!("CREATE DATABASE {name}");
        self.client("postgres").batch_execute(&create).unwrap();
        self.client(name).batch_execute("CREATE EXTENSION vector").unwrap();
        self.address(name)
    }

    pub fn address(&self, name: &str) -> String {
        format!("postgresql://postgres@127.0.0.1:{}/{name}", self.port)
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// A connection of the test's own, as the owner of everything.
    pub fn client(&self, name: &str) -> Client {
        self.try_client(name).unwrap()
    }

    fn try_client(&self, name: &str) -> Result<Client, tokio_postgres::Error> {
        Client::connect(&self.address(name))
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// One of its programs, to be run as somebody who may run it.
    fn command(&self, name: &str) -> Command {
        let mut command = Command::new(self.programs.join(name));
        command.current_dir(self.folder.path()).env("LC_ALL", "C");
        if let Some((uid, gid)) = self.user {
            command.uid(uid).gid(gid);
        }
        command
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let stop = self.command("pg_ctl").args(["stop", "-m", "immediate", "-D"]).arg(self.data()).output();
        drop(stop);
        if let Some(mut process) = self.process.take() {
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

/// A connection that is waited for.
pub struct Client {
    runtime: tokio::runtime::Runtime,
    client: tokio_postgres::Client,
}

impl Client {
    fn connect(address: &str) -> Result<Self, tokio_postgres::Error> {
        let mut runtime = tokio::runtime::Builder::new_multi_thread();
        let runtime = runtime.worker_threads(1).enable_all().build().unwrap();
        let connected = tokio_postgres::connect(address, tokio_postgres::NoTls);
        let (client, connection) = runtime.block_on(connected)?;
        runtime.spawn(connection);
        Ok(Self { runtime, client })
    }

    pub fn batch_execute(&self, statements: &str) -> Result<(), tokio_postgres::Error> {
        let done = self.client.batch_execute(statements);
        self.runtime.block_on(done)
    }

    /// The number that a query answers with.
    pub fn number(&self, query: &str) -> i64 {
        let asked = self.client.query_one(query, &[]);
        self.runtime.block_on(asked).unwrap().get(0)
    }
}

/// The folder of the server's programs, of the newest version there is; with pgvector, where it is wanted.
pub fn programs(with_pgvector: bool) -> Option<PathBuf> {
    let mut found: Vec<(u32, PathBuf)> = fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path())))
        .collect();
    found.sort();
    let has_pgvector =
        |version: u32| Path::new(&format!("/usr/share/postgresql/{version}/extension/vector.control")).exists();
    let fits = |(version, path): (u32, PathBuf)| {
        let programs = path.join("bin");
        let fits = has_pgvector(version) || !with_pgvector;
        (fits && programs.join("initdb").exists()).then_some(programs)
    };
    found.into_iter().rev().find_map(fits)
}

/// Whom to run the server as: nobody else, unless this is root.
fn unprivileged() -> Result<Option<(u32, u32)>, ()> {
    use std::os::unix::fs::MetadataExt as _;
    // Whoever owns a new file is who this is.
    let own = scratch();
    if own.path().metadata().unwrap().uid() != 0 {
        return Ok(None);
    }
    let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let of = |name: &str| {
        let line = users.lines().find(|line| line.split(':').next() == Some(name))?;
        let fields: Vec<&str> = line.split(':').collect();
        Some((fields.get(2)?.parse().ok()?, fields.get(3)?.parse().ok()?))
    };
    of("postgres").or_else(|| of("nobody")).map(Some).ok_or(())
}
