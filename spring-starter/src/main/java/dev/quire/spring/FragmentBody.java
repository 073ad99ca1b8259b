package dev.quire.spring;

import dev.quire.core.assemble.PartBody;
import dev.quire.core.assemble.Plan;
import org.jspecify.annotations.Nullable;

/** A page or fragment on the heap. Not to be changed by anybody. */
final class FragmentBody implements PartBody {

    private final byte[] bytes;
    private final @Nullable Plan plan;

    FragmentBody(byte[] bytes, @Nullable Plan plan) {
        this.bytes = bytes;
        this.plan = plan;
    }

    byte[] bytes() {
        return bytes;
    }

    @Override
    public @Nullable Plan plan() {
        return plan;
    }

    @Override
    public int length() {
        return bytes.length;
    }
}
