package dev.quire.spring.jsp;

/** {@code <esi:remove>}: what only those see who do not assemble (ESI 1.0 §3.6). */
public final class RemoveTag extends Enclosing {

    /** Made by the page. */
    public RemoveTag() {
        super("remove");
    }
}
