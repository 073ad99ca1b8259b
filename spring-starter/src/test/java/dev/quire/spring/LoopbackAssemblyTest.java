package dev.quire.spring;

import org.springframework.boot.test.context.SpringBootTest;

/** The tests of assembly by dispatch, with fragments over HTTP. */
@SpringBootTest(
        classes = {Site.class, Readers.class},
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            "quire.fallback.mode=loopback",
            "quire.guard.debug=true",
            "server.compression.enabled=true",
            "server.compression.min-response-size=1B"
        })
class LoopbackAssemblyTest extends AssemblyTest {}
