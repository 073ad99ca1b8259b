package dev.quire.proxy.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.concurrent.CompletionStage;

/** One server: its address is known, or each connection asks the sentinels for it. */
final class ServerConnector extends StoreConnector {
    private final RedisClient client;
    private final RedisURI uri;

    ServerConnector(RedisClient client, ClientOptions options, RedisURI uri) {
        super(client);
        this.client = client;
        this.uri = uri;
        client.setOptions(options);
    }

    @Override
    <K, V> CompletionStage<? extends StatefulConnection<K, V>> connect(RedisCodec<K, V> codec) {
        return begun(() -> client.connectAsync(codec, uri));
    }

    @Override
    <K, V> CompletionStage<? extends StatefulRedisPubSubConnection<K, V>> connectForMessages(
            RedisCodec<K, V> codec) {
        return begun(() -> client.connectPubSubAsync(codec, uri));
    }
}
