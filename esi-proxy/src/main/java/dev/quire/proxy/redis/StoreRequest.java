package dev.quire.proxy.redis;

import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.ProtocolKeyword;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One command to the store. Immutable. */
final class StoreRequest {
    private final ProtocolKeyword command;
    private final @Nullable String scriptName;
    private final @Nullable StoreScript script;
    private final List<byte[]> keys;

    /** Bytes, numbers, and {@link StoredValue}s. */
    private final List<Object> arguments;

    private StoreRequest(
            ProtocolKeyword command,
            @Nullable String scriptName,
            @Nullable StoreScript script,
            List<byte[]> keys,
            List<Object> arguments) {
        this.command = command;
        this.scriptName = scriptName;
        this.script = script;
        this.keys = keys;
        this.arguments = arguments;
    }

    /** Asks for the first {@code bytes} of the string at {@code key}. */
    static StoreRequest read(byte[] key, long bytes) {
        return plain(CommandType.GETRANGE, List.of(key), List.of(0L, bytes - 1));
    }

    /** Removes whatever is at {@code keys}, which are in one slot. */
    static StoreRequest delete(byte[]... keys) {
        return plain(CommandType.UNLINK, List.of(keys), List.of());
    }

    private static StoreRequest plain(
            ProtocolKeyword command, List<byte[]> keys, List<Object> arguments) {
        return new StoreRequest(command, null, null, keys, arguments);
    }

    /** Runs {@code script}, if the server knows it. */
    static StoreRequest run(StoreScript script, List<byte[]> keys, Object... arguments) {
        return new StoreRequest(
                CommandType.EVALSHA, script.hash(), script, keys, List.of(arguments));
    }

    /** Returns the same with the text of its script, which the server knows then; or null. */
    @Nullable StoreRequest withText() {
        return script == null || command == CommandType.EVAL
                ? null
                : new StoreRequest(CommandType.EVAL, script.text(), script, keys, arguments);
    }

    ProtocolKeyword command() {
        return command;
    }

    CommandArgs<byte[], StoredValue> arguments(RedisCodec<byte[], StoredValue> codec) {
        var all = new CommandArgs<>(codec);
        if (scriptName != null) {
            all.add(scriptName).add(keys.size());
        }
        all.addKeys(keys);
        for (var argument : arguments) {
            switch (argument) {
                case byte[] bytes -> all.add(bytes);
                case Long number -> all.add(number);
                case StoredValue value -> all.addValue(value);
                default -> throw new IllegalArgumentException("an argument is " + argument);
            }
        }
        return all;
    }
}
