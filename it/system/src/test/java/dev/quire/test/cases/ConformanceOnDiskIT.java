package dev.quire.test.cases;

import dev.quire.test.junit.internal.OnDisk;

/** Every language case through the real proxy, with responses on disk alone. */
@OnDisk
class ConformanceOnDiskIT extends ConformanceIT {}
