# The configuration that all scripts of Quire share; for the scripts of targets.

# quire_site ORIGIN_PORT: all requests go to the origin, over at most QUIRE_BENCH_CONNECTIONS connections at
# a time, by default as many as Quire's default. Without access log: the other targets write none either.
quire_site() {
  cat <<CONFIGURATION
log:
  access: off
origins:
  site: { urls: ["http://127.0.0.1:$1"], max-connections: ${QUIRE_BENCH_CONNECTIONS:-256},
          queue-timeout: ${QUIRE_BENCH_QUEUE:-1s} }
routes:
  - { path: "/**", origin: site }
CONFIGURATION
}
