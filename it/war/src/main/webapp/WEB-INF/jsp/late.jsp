<%@ page contentType="text/html; charset=UTF-8" trimDirectiveWhitespaces="true" session="false" %>
<%
int size = (Integer) request.getAttribute("size");
String moment = (String) request.getAttribute("moment");
if (moment.equals("start")) { %>${cookie.name.value}<% }
for (int i = 0; i < size; i++) {
    out.write("x".repeat(1024));
    if (i == size / 2 && moment.startsWith("flushed")) { response.flushBuffer(); }
    if (i == size / 2 && moment.equals("flushed")) { %>${cookie.name.value}<% }
}
if (moment.endsWith("fails")) { throw new IllegalStateException("on purpose"); }
if (moment.equals("end")) { %>${cookie.name.value}<% }
%>.
