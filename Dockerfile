# eigenfaces in a container that holds one program, its licences, and a folder for the model: no shell, no libc, no user but 65532.
#
#   docker build -t eigenfaces .
#   docker run -p 127.0.0.1:8384:8384 -v faces:/data -e EIGENFACES_KEY=... eigenfaces
#
# Needs the network while it is built (crates). docs/SERVE.md says how it is used; compose.yaml has it beside a database.
# What is in the image is made by `.ci/release root`, and tried without Docker by `.ci/release`.

FROM rust:1-bookworm AS build
WORKDIR /source
COPY . .
RUN .ci/release root

FROM scratch
COPY --from=build /source/target/release-archive/root/ /
COPY --from=build --chown=65532:65532 /source/target/release-archive/data/ /data/
USER 65532:65532
ENV EIGENFACES_MODEL=/data/eigenfaces.npz
VOLUME /data
EXPOSE 8384
# A key must be given in EIGENFACES_KEY: without one the program refuses to listen to other machines.
HEALTHCHECK --interval=30s --timeout=6s --start-period=10s CMD ["/eigenfaces", "serve", "--quiet", "--check", "--listen", "0.0.0.0:8384"]
ENTRYPOINT ["/eigenfaces"]
CMD ["serve", "--listen", "0.0.0.0:8384"]
