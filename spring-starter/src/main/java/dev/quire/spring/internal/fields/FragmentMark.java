package dev.quire.spring.internal.fields;

import jakarta.servlet.http.HttpServletRequest;

/** The mark of requests for fragments of a page that the application assembles. */
public final class FragmentMark {

    /** The request attribute with the mark; clients cannot set it. */
    public static final String ATTRIBUTE = FragmentMark.class.getName();

    /** The mark of a request by dispatch, which shares the page's session. */
    public static final String DISPATCH = "dispatch";

    /** The mark of a request over a connection of the application to itself. */
    public static final String LOOPBACK = "loopback";

    private FragmentMark() {}

    /** Whether {@code request} is for a fragment of a page assembled in the application. */
    public static boolean isOn(HttpServletRequest request) {
        return request.getAttribute(ATTRIBUTE) != null;
    }
}
