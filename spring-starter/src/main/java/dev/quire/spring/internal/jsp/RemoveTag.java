package dev.quire.spring.internal.jsp;

/** {@code <esi:remove>}: content that is removed during assembly (ESI 1.0 §3.6). */
public final class RemoveTag extends Enclosing {

    /** Created by the JSP container. */
    public RemoveTag() {
        super("remove");
    }
}
