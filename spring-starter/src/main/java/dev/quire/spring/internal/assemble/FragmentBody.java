package dev.quire.spring.internal.assemble;

import dev.quire.core.assemble.CompiledPage;
import dev.quire.core.assemble.PartBody;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A page or fragment on the heap. Immutable. */
final class FragmentBody implements PartBody {

    private final byte[] bytes;
    private final int status;
    private final @Nullable CompiledPage compiled;

    FragmentBody(byte[] bytes, int status, @Nullable CompiledPage compiled) {
        this.bytes = bytes;
        this.status = status;
        this.compiled = compiled;
    }

    byte[] bytes() {
        return bytes;
    }

    @Override
    public @Nullable CompiledPage compiled() {
        return compiled;
    }

    @Override
    public int length() {
        return bytes.length;
    }

    @Override
    public int status() {
        return status;
    }

    @Override
    public byte[] copy(int start, int end) {
        return Arrays.copyOfRange(bytes, start, end);
    }
}
