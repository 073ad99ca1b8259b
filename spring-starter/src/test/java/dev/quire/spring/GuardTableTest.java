package dev.quire.spring;

import org.springframework.boot.test.context.SpringBootTest;

/** The table on platform threads. */
@SpringBootTest(
        classes = {Site.class, Readers.class, GuardTable.Ways.class},
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {"quire.guard.debug=true", "quire.headers.tag-limit=200B"})
class GuardTableTest extends GuardTable {}
