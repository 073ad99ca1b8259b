package dev.quire.spring;

import org.springframework.boot.test.context.SpringBootTest;

/** The same tests with fragments over HTTP. */
@SpringBootTest(
        classes = StampSite.class,
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            "quire.fallback.mode=loopback",
            "quire.stamp.placeholder=" + StampTest.SECRET
        })
class LoopbackStampTest extends AssembledStampTest {}
