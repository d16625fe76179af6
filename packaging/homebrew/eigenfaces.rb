class Eigenfaces < Formula
  desc "Face recognition by eigenfaces"
  homepage "@REPOSITORY@"
  version "@VERSION@"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    on_arm do
      url "@URL@/eigenfaces-@VERSION@-aarch64-apple-darwin.tar.gz"
      sha256 "@SUM:eigenfaces-@VERSION@-aarch64-apple-darwin.tar.gz@"
    end
    on_intel do
      url "@URL@/eigenfaces-@VERSION@-x86_64-apple-darwin.tar.gz"
      sha256 "@SUM:eigenfaces-@VERSION@-x86_64-apple-darwin.tar.gz@"
    end
  end
  on_linux do
    on_arm do
      url "@URL@/eigenfaces-@VERSION@-aarch64-unknown-linux-gnu.tar.gz"
      sha256 "@SUM:eigenfaces-@VERSION@-aarch64-unknown-linux-gnu.tar.gz@"
    end
    on_intel do
      url "@URL@/eigenfaces-@VERSION@-x86_64-unknown-linux-gnu.tar.gz"
      sha256 "@SUM:eigenfaces-@VERSION@-x86_64-unknown-linux-gnu.tar.gz@"
    end
  end

  def install
    bin.install "eigenfaces"
    man1.install Dir["man/man1/*.1"]
    bash_completion.install "completions/eigenfaces.bash" => "eigenfaces"
    zsh_completion.install "completions/_eigenfaces"
    fish_completion.install "completions/eigenfaces.fish"
    doc.install "README.md", "CHANGELOG.md", "licences"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/eigenfaces --version")
  end
end
