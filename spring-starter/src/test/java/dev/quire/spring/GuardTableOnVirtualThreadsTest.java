package dev.quire.spring;

import org.springframework.boot.test.context.SpringBootTest;

/** The table on virtual threads, with answers that the container compresses. */
@SpringBootTest(
        classes = {Site.class, Readers.class, GuardTable.Ways.class},
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            "quire.guard.debug=true",
            "quire.headers.tag-limit=200B",
            "spring.threads.virtual.enabled=true",
            "server.compression.enabled=true",
            "server.compression.min-response-size=1B"
        })
class GuardTableOnVirtualThreadsTest extends GuardTable {}
