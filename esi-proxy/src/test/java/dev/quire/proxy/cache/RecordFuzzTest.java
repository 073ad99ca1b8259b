package dev.quire.proxy.cache;

import com.code_intelligence.jazzer.junit.FuzzTest;

/** Searches for records that do harm when they are read; see {@code bin/fuzz}. */
class RecordFuzzTest {

    @FuzzTest
    void anyRecord(byte[] data) {
        HostileRecord.run(data);
    }
}
