package dev.quire.proxy.disk;

import com.code_intelligence.jazzer.junit.FuzzTest;

/** Searches for items of a journal that do harm when they are read; see {@code bin/fuzz}. */
class JournalFuzzTest {

    @FuzzTest
    void anyItem(byte[] data) {
        HostileJournal.run(data);
    }
}
