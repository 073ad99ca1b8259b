package dev.quire.proxy.redis;

/** Records and leases in a Valkey server. */
class ValkeyRecordsTest extends RedisRecordsTest {
    @Override
    String program() {
        return RedisServer.VALKEY;
    }
}
