package dev.quire.test.cases;

import dev.quire.test.junit.internal.OverHttp2;

/** Every language case through the real proxy, over HTTP/2 and TLS. */
@OverHttp2
class ConformanceOverHttp2IT extends ConformanceIT {}
