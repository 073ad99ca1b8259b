<%@ page session="false" contentType="text/html; charset=UTF-8" trimDirectiveWhitespaces="true" %>
<%@ taglib prefix="esi" uri="https://quire.dev/esi" %>
<esi:control ttl="30s"/><%
String what = String.valueOf(request.getParameter("what"));
if (what.equals("late")) { response.flushBuffer(); }
if (what.equals("cookie") || what.equals("late")) { %>${cookie.name.value}<% }
if (what.equals("session")) { out.write(String.valueOf(request.getSession(false))); }
if (what.equals("user")) { %>${pageContext.request.userPrincipal}<% }
if (what.equals("authorization")) { %>${header.Authorization}<% }
%>.